import { basename } from 'node:path'
import type { Agent, AgentSession } from '@stepwell/sdk'
import { titleOf } from './agent.ts'
import { duration } from './calls.ts'
import { EXIT_ABORTED } from './endings.ts'
import type { ChosenModel } from './model.ts'
import { oneLine } from './printable.ts'
import { ask } from './prompt.ts'
import { statusLine, usageWords } from './status.ts'
import type { Terminal } from './terminal.ts'

/** Talks with the person until they leave. Resolves with the session, if there was one. */
export async function chat(agent: Agent, chosen: ChosenModel, terminal: Terminal, sessionId?: string): Promise<void> {
  const { screen, renderer, style } = terminal
  const { model, from } = chosen
  let session = sessionId === undefined ? undefined : await agent.session(sessionId, { create: false })
  screen.write(`${style('bold', 'Stepwell')} in ${basename(process.cwd())} · ${oneLine(model.model)} (${from})\n\n`)
  if (session) {
    renderer.history(session.state.history)
    if (session.state.lastFinish) renderer.ending(session.state.lastFinish)
  }

  const typed: string[] = []
  for (;;) {
    const answer = await ask(style('bold', '› '), { history: typed })
    if (answer.kind !== 'text') break
    if (answer.text === '') continue
    typed.unshift(answer.text)
    screen.write('\n')
    session ??= await agent.session(undefined, { title: titleOf(answer.text) })
    await converse(session, answer.text, terminal)
  }
  if (session) screen.write(style('dim', `To go on: npm run demo -- --session ${session.id}\n`))
}

async function converse(session: AgentSession, text: string, terminal: Terminal): Promise<void> {
  const { screen, renderer, style } = terminal
  const began = Date.now()
  const stop = new AbortController()
  const run = session.run(text, { signal: stop.signal })

  async function show(): Promise<void> {
    for await (const event of run) renderer.take(event)
    const { recorded, ...refusal } = await run.result
    if (!recorded) renderer.ending(refusal)
  }
  function status(): string {
    return statusLine(session.state, Date.now(), Date.now() - began, (process.stdout.columns ?? 80) - 1)
  }
  function interrupted(): void {
    // A second time it is meant for everything: the next one who opens the session ends the run.
    if (stop.signal.aborted) process.exit(EXIT_ABORTED)
    stop.abort()
  }

  await terminal.during(show(), status, interrupted)
  const words = [...usageWords(session.state.usage), duration(Date.now() - began)]
  screen.write(`${style('dim', words.join(' · '))}\n\n`)
}
