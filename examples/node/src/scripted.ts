import {
  type Message,
  type ModelProvider,
  type ModelRequest,
  messageText,
  resultText,
  type ToolResult,
} from '@stepwell/sdk'
import { type ScriptedReply, scriptedModel } from '@stepwell/sdk/testing'

const NOTE = 'stepwell-demo.md'
const WINDOW = 16_000

/** A model that needs no model: it plays the same small scene in every folder, and says that it does. */
export function scriptedDemo(pauseMs: number): ModelProvider {
  const between = () => new Promise<void>((resolve) => setTimeout(resolve, pauseMs))
  return scriptedModel([(request) => ({ ...nextReply(request), ...(pauseMs > 0 && { between }) })], {
    repeat: true,
    capabilities: { contextWindow: WINDOW },
  })
}

/** What the scene says next: it follows from what the model was sent, as with any model. */
function nextReply({ messages }: ModelRequest): ScriptedReply {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const results = messages.slice(asked + 1).flatMap(resultsOf)
  const said = messages[asked]
  const told = said === undefined ? '' : messageText(said)
  const usage = { inputTokens: Math.ceil(JSON.stringify(messages).length / 4), outputTokens: 60 }
  return { ...scene(told, results, messages.filter(({ role }) => role === 'user').map(messageText)), usage }
}

function scene(told: string, results: readonly ToolResult[], all: readonly string[]): ScriptedReply {
  if (/\b(run|command|shell)\b/i.test(told)) return commandScene(results)
  if (all.length === 1) return folderScene(results)
  return {
    reasoning: 'Everything that was said before comes with every request. I only have to count.',
    text: `Still scripted, and I remember: this is message ${all.length} of this session, and the first one was “${all[0]}”. Say “run a command” to see one at work.`,
  }
}

function folderScene(results: readonly ToolResult[]): ScriptedReply {
  const [list, read, write] = results
  if (list === undefined) {
    return {
      reasoning: 'I am a script, so I know what I will do: look around, read a file, and offer to write one.',
      text: 'I am a scripted model, not a real one: this is a small scene about what Stepwell does. First I look at this folder.',
      calls: [{ name: 'list_files' }],
    }
  }
  if (read === undefined) {
    const path = fileToRead(resultText(list))
    if (path === undefined) return offer('There is nothing to read here.')
    return { text: `There is a \`${path}\`. I read it.`, calls: [{ name: 'read_file', input: { path, lines: 40 } }] }
  }
  if (write === undefined && read.toolName === 'read_file') {
    const text = resultText(read)
    const first = text.split('\n').find((line) => line.trim() !== '') ?? ''
    return offer(`It begins with “${first.slice(0, 80)}”.`)
  }
  const last = results.at(-1)
  const happened = last?.outcome === 'ok' ? `Done: \`${NOTE}\` is there.` : 'Then not; nothing was changed.'
  return {
    text: `${happened} You have sent me one message so far, and I was told the outcome of ${results.length} calls.`,
  }
}

function offer(found: string): ScriptedReply {
  const text = `# A note\n\nWritten by the scripted model of the Stepwell demo.\n`
  return {
    reasoning: 'Writing changes something, so the person is asked first.',
    text: `${found} Shall I leave a note in \`${NOTE}\`?`,
    calls: [{ name: 'write_file', input: { path: NOTE, text } }],
  }
}

function commandScene(results: readonly ToolResult[]): ScriptedReply {
  const [ran] = results
  if (ran === undefined) {
    const script =
      'let n = 0; const t = setInterval(() => { console.log("step", ++n); if (n === 5) clearInterval(t) }, 400)'
    return {
      text: 'This one takes two seconds and prints as it goes. Ctrl-C stops it.',
      calls: [{ name: 'run_command', input: { command: `node -e '${script}'` } }],
    }
  }
  const [how = ''] = resultText(ran).split('\n')
  return { text: ran.outcome === 'ok' ? `It ended with ${how}.` : 'It did not run.' }
}

/** One that people would open first. */
function fileToRead(list: string): string | undefined {
  const files = list.split('\n').filter((line) => /\.(md|json|txt|ts|js|py)$/i.test(line))
  return files.find((file) => /^readme\.md$/i.test(file)) ?? files.find((file) => !file.includes('/')) ?? files[0]
}

function resultsOf(message: Message): ToolResult[] {
  if (message.role !== 'assistant') return []
  return message.parts.flatMap((part) => (part.type === 'tool-call' && part.result ? [part.result] : []))
}
