import type { Agent } from '@stepwell/sdk'
import { titleOf } from './agent.ts'
import { ENDINGS, EXIT_ABORTED, EXIT_USAGE } from './endings.ts'
import type { ChosenModel } from './model.ts'
import { createRenderer, type Sink } from './render.ts'
import { usageWords } from './status.ts'
import { styleFor } from './terminal/style.ts'

/** Answers what is piped in: the reply goes to stdout, the rest to stderr. Resolves with the exit code. */
export async function once(agent: Agent, { model, from }: ChosenModel, sessionId?: string): Promise<number> {
  const { stdout, stderr } = process
  const text = await piped()
  if (text === '') {
    stderr.write('There is nothing on standard input. Pipe a question in, or start the demo in a terminal.\n')
    return EXIT_USAGE
  }
  const style = styleFor(stderr)
  const aside = (said: string) => void stderr.write(said)
  aside(style('dim', `${model.model} (${from})\n\n`))

  const session = await agent.session(sessionId, sessionId === undefined ? { title: titleOf(text) } : { create: false })
  const past = createRenderer({ reply: aside, aside }, style)
  past.history(session.state.history)
  if (session.state.lastFinish) past.ending(session.state.lastFinish)

  if (session.state.status === 'waiting') {
    aside('This session waits for an answer. Open it in a terminal to give it.\n')
    return EXIT_USAGE
  }
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => (stop.signal.aborted ? process.exit(EXIT_ABORTED) : stop.abort()))
  }
  const output = trimmed({ reply: (said) => void stdout.write(said), aside })
  const renderer = createRenderer(output, style)
  const run = session.run(text, { signal: stop.signal, unattended: true })
  for await (const event of run) renderer.take(event)
  const result = await run.result
  if (!result.recorded) renderer.ending(result)
  output.end()
  aside(style('dim', `${usageWords(session.state.usage).join(' · ')}\nSession ${session.id}\n`))
  return ENDINGS[result.reason].exitCode
}

async function piped(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk
  return text.trim()
}

/** Replies without empty lines at their end, which only a terminal that shows both needs. */
function trimmed({ reply, aside }: Sink): Sink & { end(): void } {
  let lineEnds = ''
  let isEmpty = true
  return {
    reply(text) {
      const all = lineEnds + text
      const body = all.replace(/\n+$/, '')
      lineEnds = all.slice(body.length)
      if (body === '') return
      reply(body)
      isEmpty = false
    },
    aside(text) {
      if (process.stdout.isTTY) {
        reply(lineEnds)
        lineEnds = ''
      }
      aside(text)
    },
    end() {
      if (!isEmpty && !process.stdout.isTTY) reply('\n')
    },
  }
}
