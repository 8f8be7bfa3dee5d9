import { InputError, SessionError } from '../protocol/errors.ts'
import type { AgentEvent } from '../protocol/events.ts'
import type { AgentSession, InputContent, Run, RunOptions } from '../protocol/session.ts'
import { unlessAborted } from '../protocol/unless-aborted.ts'
import { Attendant } from './attendant.ts'
import { commandLines, type NumberedCommand, readInput } from './commands.ts'
import { type HeadlessFormat, type HeadlessRecord, recordWriter, type TextSink } from './records.ts'
import { failed, HEADLESS_VERSION, type HeadlessResult, resultOf } from './result.ts'
import { type TextSource, wholeText } from './text.ts'

export interface HeadlessOptions {
  /** Opens the session, here or behind a server, once there is an input for it. */
  readonly session: () => Promise<AgentSession>
  /** Default: read from `stdin`. */
  readonly prompt?: InputContent
  /** Read to its end for `text` and `json` where there is no prompt, line by line for `ndjson`. Default: nothing. */
  readonly stdin?: TextSource
  /** Gets what `outputFormat` says and nothing else. Where it rejects the run is stopped, and nothing more is written. */
  readonly stdout: TextSink
  /** Default `text`. */
  readonly inputFormat?: HeadlessFormat
  /** Default `text`. */
  readonly outputFormat?: HeadlessFormat
  /** Of the run. These win over what the input says. */
  readonly run?: Omit<RunOptions, 'unattended' | 'signal' | 'commandId'>
  /** Aborting it aborts the run. */
  readonly signal?: AbortSignal
  /** Called with every event of the run, for what is told elsewhere. What it throws is ignored. */
  readonly onEvent?: (event: AgentEvent) => void
}

/**
 * Runs a session once, from a text or from lines of input to one result, which is written last and returned. Never
 * rejects. People can be asked only where input and output are `ndjson`, and until the input ends: everywhere else, and
 * from then on, requests are refused.
 */
export async function runHeadless(options: HeadlessOptions): Promise<HeadlessResult> {
  const gone = new AbortController()
  const write = recordWriter(options.outputFormat ?? 'text', options.stdout)
  const report = async (record: HeadlessRecord): Promise<void> => {
    if (gone.signal.aborted) return
    try {
      await write(record)
    } catch {
      gone.abort()
    }
  }
  const signal = options.signal ? AbortSignal.any([options.signal, gone.signal]) : gone.signal
  const result = await converse({ ...options, signal }, report).catch(failed)
  await report(result)
  return result
}

type Report = (record: HeadlessRecord) => Promise<void>
type Conversation = HeadlessOptions & { readonly signal: AbortSignal }

async function converse(options: Conversation, report: Report): Promise<HeadlessResult> {
  const { signal, stdin = nothing(), inputFormat } = options
  const lines = inputFormat === 'ndjson' ? commandLines(stdin) : undefined
  const first = await unlessAborted(signal, firstCommand(options, stdin, lines))
  if (first === undefined) throw stopped()
  // Nothing is opened for an input that is none.
  first.read()
  const session = await unlessAborted(signal, options.session())
  if (session === undefined) throw stopped()
  await session.ready

  const attendant = new Attendant(session, report)
  const stop = (): void => void session.abort().catch(() => {})
  try {
    const joined = isAttended(options) ? waitingRun(session) : undefined
    let run = joined ?? (await begin(session, first, options))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    await report({ type: 'start', v: HEADLESS_VERSION, sessionId: session.id, runId: run.id })
    if (joined) await attendant.take(first)
    if (!isAttended(options)) attendant.refuseRequests()
    if (lines) void attendant.read(lines).catch(() => attendant.refuseRequests())
    for (;;) {
      await show(run, report, options)
      const result = await run.result
      const next = result.recorded ? await attendant.next(result.runId) : undefined
      if (next === undefined) return resultOf(session.id, result)
      run = session.follow(next)
      if (signal.aborted) stop()
    }
  } finally {
    signal.removeEventListener('abort', stop)
    attendant.end()
  }
}

async function firstCommand(
  { prompt, inputFormat }: HeadlessOptions,
  stdin: TextSource,
  lines: AsyncGenerator<NumberedCommand> | undefined,
): Promise<NumberedCommand> {
  if (typeof prompt === 'string' && prompt.trim() === '') throw empty()
  if (prompt !== undefined) return { line: 0, read: () => ({ type: 'input', input: prompt }) }
  if (lines) {
    const { value, done } = await lines.next()
    if (done) throw empty()
    return value
  }
  const text = await wholeText(stdin)
  if (text.trim() === '') throw empty()
  return { line: 0, read: () => (inputFormat === 'json' ? readInput(text) : { type: 'input', input: text }) }
}

/** The open run, where it waits for answers: there is none to start, and this one goes on. */
function waitingRun(session: AgentSession): Run | undefined {
  const { run, status } = session.state
  return run && status === 'waiting' ? session.follow(run.id) : undefined
}

/** Starts the run. Where one waits for answers that nobody here gives, the input takes their place. */
async function begin(session: AgentSession, first: NumberedCommand, options: HeadlessOptions): Promise<Run> {
  const command = first.read()
  if (command.type !== 'input') throw new InputError('input.invalid', 'The first line begins the run: an input.')
  const repeatable = command.id === undefined ? {} : { commandId: command.id }
  const waiting = waitingRun(session)
  if (waiting) {
    const { error } = await session.send(command.input, { supersede: true, ...repeatable })
    if (error) throw new SessionError(error.code, error.message)
    return waiting
  }
  const asked: RunOptions = { ...command.options, ...options.run }
  return session.run(command.input, { ...asked, ...repeatable, unattended: !isAttended(options) })
}

async function show(run: Run, report: Report, { onEvent }: HeadlessOptions): Promise<void> {
  try {
    for await (const event of run) {
      tell(event, onEvent)
      await report(event)
    }
  } catch {
    // The log could not be read on. What became of the run is in its result.
  }
}

function tell(event: AgentEvent, onEvent: HeadlessOptions['onEvent']): void {
  try {
    onEvent?.(event)
  } catch {
    // Who is told elsewhere takes nothing from those who read the output.
  }
}

function isAttended({ inputFormat, outputFormat }: HeadlessOptions): boolean {
  return inputFormat === 'ndjson' && outputFormat === 'ndjson'
}

async function* nothing(): AsyncGenerator<string> {}

function empty(): InputError {
  return new InputError('input.empty', 'There is no input: give a prompt, or write one to standard input.')
}

function stopped(): SessionError {
  return new SessionError('session.aborted', 'It was stopped before the run could start.')
}
