import type { Agent } from '../../agent/create-agent.ts'
import type { Budget } from '../../protocol/budget.ts'
import { thrownText } from '../../protocol/errors.ts'
import type { HeadlessRunSettings } from '../commands.ts'
import { EXIT_CODES, type HeadlessResult } from '../result.ts'
import { runHeadless } from '../run-headless.ts'
import { agentFor } from './agent.node.ts'
import type { RunArguments } from './arguments.node.ts'
import { filledIn, sinkTo, tell } from './streams.node.ts'

/** `stepwell run`, with the streams and signals of this process. Resolves with the exit code. */
export async function run(asked: RunArguments): Promise<number> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => (stop.signal.aborted ? process.exit(EXIT_CODES.aborted) : stop.abort()))
  }
  const { prompt, input, output, session } = asked
  const isFilledIn = prompt.includes('-')
  let agent: Agent | undefined
  const result = await runHeadless({
    async session() {
      agent = await agentFor(asked)
      return agent.session(session)
    },
    ...(prompt.length > 0 && !isFilledIn && { prompt: prompt.join(' ') }),
    stdin: isFilledIn ? filledIn(prompt, process.stdin) : process.stdin,
    stdout: sinkTo(process.stdout),
    inputFormat: input,
    outputFormat: output,
    run: settingsOf(asked),
    signal: stop.signal,
  })
  await close(agent)
  await tell(process.stderr, told(result))
  return result.exitCode
}

/** What the run came to was told before: a failure here is told beside it. */
async function close(agent: Agent | undefined): Promise<void> {
  try {
    await agent?.close()
  } catch (thrown) {
    await tell(process.stderr, `The agent could not be closed: ${thrownText(thrown)}\n`)
  }
}

function settingsOf({ maxTurns, dollars, tokens }: RunArguments): HeadlessRunSettings {
  const isLimited = dollars !== undefined || tokens !== undefined
  const limit: Budget = {
    per: 'run',
    ...(dollars !== undefined && { cost: { amount: dollars, currency: 'USD' } }),
    ...(tokens !== undefined && { tokens }),
  }
  return { ...(maxTurns !== undefined && { maxTurns }), ...(isLimited && { limits: [limit] }) }
}

/** For people, where a run did not simply end. */
function told({ reason, error, sessionId }: HeadlessResult): string {
  if (reason === 'stop') return ''
  const why = error ? `: ${error.message} (${error.code})` : ''
  const where = sessionId === undefined ? '' : ` [session ${sessionId}]`
  return `${reason}${why}${where}\n`
}
