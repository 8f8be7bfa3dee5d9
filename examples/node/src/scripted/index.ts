import { type Message, type ModelProvider, type ModelRequest, messageText, type ToolResult } from '@stepwell/sdk'
import { type ScriptedReply, scriptedModel } from '@stepwell/sdk/testing'
import { commandScene, folderScene, planScene } from './scenes.ts'

const WINDOW = 16_000
/** Invented, so that there is something to count. */
const PRICING = { currency: 'USD', input: 1, output: 4 }

/** A model that needs no model: it plays the same small scenes in every folder, and says that it does. */
export function scriptedDemo(pauseMs: number): ModelProvider {
  const between = () => new Promise<void>((resolve) => setTimeout(resolve, pauseMs))
  return scriptedModel([(request) => ({ ...nextReply(request), ...(pauseMs > 0 && { between }) })], {
    repeat: true,
    capabilities: { contextWindow: WINDOW, pricing: PRICING },
  })
}

/** What the scene says next: it follows from what the model was sent, as with any model. */
function nextReply({ messages }: ModelRequest): ScriptedReply {
  const begin = messages.findLastIndex((message, at) => message.role === 'user' && isOver(messages[at - 1]))
  const last = messages.at(-1)
  const isSteered = last?.role === 'user' && messages.indexOf(last) > begin
  const said = messages.filter(({ role }) => role === 'user').map(messageText)
  const told = messages[begin] === undefined ? '' : messageText(messages[begin])
  const reply = scene(told, messages.slice(begin + 1).flatMap(resultsOf), said)
  const heard = isSteered ? `You say “${messageText(last)}”: I have it, and go on with my script. ` : ''
  const usage = { inputTokens: Math.ceil(JSON.stringify(messages).length / 4), outputTokens: 60 }
  return { ...reply, text: heard + (reply.text ?? ''), usage }
}

function scene(told: string, results: readonly ToolResult[], said: readonly string[]): ScriptedReply {
  if (/\b(run|command|shell)\b/i.test(told)) return commandScene(results)
  if (/\bplan\b/i.test(told)) return planScene(results)
  if (said[0] === told) return folderScene(results)
  return {
    reasoning: 'Everything that was said before comes with every request. I only have to count.',
    text: `Still scripted, and I remember: this is message ${said.length} of this session, and the first one was “${said[0]}”. Say “run a command” to see one at work, or “make a plan”.`,
  }
}

/** A message after this one begins something new, rather than steering what is under way. */
function isOver(before: Message | undefined): boolean {
  if (before?.role !== 'assistant') return before?.role !== 'user'
  const calls = before.parts.filter((part) => part.type === 'tool-call')
  return calls.every(({ result }) => result === undefined || result.outcome === 'aborted')
}

function resultsOf(message: Message): ToolResult[] {
  if (message.role !== 'assistant') return []
  return message.parts.flatMap((part) => (part.type === 'tool-call' && part.result ? [part.result] : []))
}
