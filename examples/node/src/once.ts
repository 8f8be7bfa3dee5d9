import type { Agent, AgentEvent } from '@stepwell/sdk'
import { EXIT_CODES, runHeadless } from '@stepwell/sdk/headless'
import { titleOf } from './agent.ts'
import type { ChosenModel } from './model.ts'
import { createRenderer } from './render.ts'
import { usageWords } from './status.ts'
import { styleFor } from './terminal/style.ts'

/** Answers what is piped in: the reply goes to stdout, the rest to stderr. Resolves with the exit code. */
export async function once(agent: Agent, { model, from }: ChosenModel, sessionId?: string): Promise<number> {
  const { stdin, stdout, stderr } = process
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => (stop.signal.aborted ? process.exit(EXIT_CODES.aborted) : stop.abort()))
  }
  const text = await piped(stdin)
  if (text === '') {
    stderr.write('There is nothing on standard input. Pipe a question in, or start the demo in a terminal.\n')
    return EXIT_CODES.invalid
  }
  const style = styleFor(stderr)
  const aside = (said: string) => void stderr.write(said)
  aside(style('dim', `${model.model} (${from})\n\n`))

  const session = await agent.session(sessionId, sessionId === undefined ? { title: titleOf(text) } : { create: false })
  const renderer = createRenderer({ reply: aside, aside }, style)
  renderer.history(session.state.history)
  if (session.state.lastFinish) renderer.ending(session.state.lastFinish)

  const result = await runHeadless({
    session: async () => session,
    prompt: text,
    stdout: (said) =>
      new Promise((resolve, reject) => void stdout.write(said, (error) => (error ? reject(error) : resolve()))),
    onEvent: (event) => isForStdout(event) || renderer.take(event),
    signal: stop.signal,
  })
  if (!result.recorded) aside(`${result.error?.message} (${result.error?.code})\n`)
  aside(style('dim', `${usageWords(session.state.usage).join(' · ')}\nSession ${session.id}\n`))
  return result.exitCode
}

/** The last reply is the result. What leads to it is told beside it, message by message. */
function isForStdout(event: AgentEvent): boolean {
  if (event.type !== 'message') return event.type === 'text-delta'
  const { message } = event
  return message.role === 'assistant' && !message.parts.some(({ type }) => type === 'tool-call')
}

async function piped(stdin: NodeJS.ReadStream): Promise<string> {
  let text = ''
  for await (const chunk of stdin.setEncoding('utf8')) text += chunk
  return text.trim()
}
