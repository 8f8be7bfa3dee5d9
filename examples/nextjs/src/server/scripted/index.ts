import { type Message, type ModelProvider, type ModelRequest, messageText, type ToolResult } from '@stepwell/sdk'
import { type ScriptedReply, scriptedModel } from '@stepwell/sdk/testing'
import { sceneOf } from './scenes.ts'

const WINDOW = 16_000
/** Invented, so that there is something to count. */
const PRICING = { currency: 'USD', input: 3, output: 15 }

/** A model that needs no model: it plays small scenes, and says that it does. */
export function scriptedDemo(pauseMs: number): ModelProvider {
  const between = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, pauseMs))
  return scriptedModel([(request) => ({ ...nextReply(request), ...(pauseMs > 0 && { between }) })], {
    repeat: true,
    capabilities: { contextWindow: WINDOW, pricing: PRICING },
  })
}

/** What comes next follows from what the model was sent, as with any model. */
function nextReply({ messages }: ModelRequest): ScriptedReply {
  const begin = messages.findLastIndex((message, at) => message.role === 'user' && isOver(messages[at - 1]))
  const told = messages[begin]
  const last = messages.at(-1)
  const reply = sceneOf(told === undefined ? '' : messageText(told))(messages.slice(begin + 1).flatMap(resultsOf))
  const heard = [
    ...(last?.role === 'user' && last !== told ? [`You say “${messageText(last)}”: I have it, and go on.`] : []),
    ...(told?.role === 'user' && last === told ? attachments(told) : []),
  ]
  const usage = {
    inputTokens: Math.ceil(JSON.stringify(messages).length / 4),
    outputTokens: Math.ceil(JSON.stringify(reply).length / 4),
  }
  return { ...reply, text: [...heard, reply.text ?? ''].filter((text) => text !== '').join('\n\n'), usage }
}

function attachments({ parts }: Extract<Message, { role: 'user' }>): string[] {
  return parts.flatMap((part) => {
    if (part.type !== 'image' && part.type !== 'file') return []
    const size = part.blob === undefined ? '' : `, ${Math.ceil(part.blob.size / 1_000)} kB`
    return [`I was given **${part.name ?? part.type}** (${part.mediaType}${size}).`]
  })
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
