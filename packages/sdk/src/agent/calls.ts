import type { EventDraft, ToolProgress } from '../protocol/events.ts'
import type { ToolCallPart, ToolResult } from '../protocol/messages.ts'
import type { PendingCall } from '../protocol/state.ts'
import type { ToolHost } from '../tools/context.ts'
import { executeCall } from '../tools/execute.ts'
import { type PreparedCall, prepareCall, type RequestedCall } from '../tools/prepare.ts'
import { callGate, runCalls } from '../tools/schedule.ts'
import { PARALLEL_CALLS } from './defaults.ts'
import { cutResult, interruptedResult } from './recover.ts'
import type { RunScope } from './run-scope.ts'

type Runnable = Extract<PreparedCall, { ok: true }>

interface EarlyCall {
  readonly prepared: Promise<PreparedCall>
  /** Undefined when it may not start early after all. */
  readonly result: Promise<ToolResult | undefined>
  finished?: ToolResult
  /** What it printed before its message was committed. */
  output: { text: string; progress?: ToolProgress }
  onOutput?: (text: string, progress?: ToolProgress) => void
}

/** The calls of one reply. */
export class Calls {
  readonly gate = callGate(PARALLEL_CALLS)
  readonly #early = new Map<string, EarlyCall>()
  readonly #discarded = new AbortController()
  readonly #run: RunScope
  readonly #turn: number

  constructor(run: RunScope, turn: number) {
    this.#run = run
    this.#turn = turn
  }

  /**
   * A call is complete and the model still talks. One that only reads starts now: its result waits for the message, and is
   * thrown away with a discarded attempt.
   */
  early(call: RequestedCall): void {
    const run = this.#run
    const tool = run.runtime.tools.get(call.toolName)
    if (tool?.effect !== 'read' || tool.execute === undefined || run.isStopping) return
    const prepared = this.prepare(call)
    const start = async (): Promise<ToolResult | undefined> => {
      const ready = await prepared
      if (!ready.ok) return undefined
      return this.gate.run(ready.tool.parallel, () => this.#execute(ready, call.callId, this.#discarded.signal, report))
    }
    const report = (text: string, progress?: ToolProgress): void => {
      if (early.onOutput) return early.onOutput(text, progress)
      early.output = {
        text: early.output.text + text,
        ...(progress ? { progress } : early.output.progress && { progress: early.output.progress }),
      }
    }
    const early: EarlyCall = { prepared, result: start(), output: { text: '' } }
    this.#early.set(call.callId, early)
    void early.result.then((result) => {
      if (result !== undefined) early.finished = result
    })
  }

  earlyCall(callId: string): EarlyCall | undefined {
    return this.#early.get(callId)
  }

  prepare(call: RequestedCall): Promise<PreparedCall> {
    const { runtime, prepared, state } = this.#run
    return prepareCall(runtime.tools, call, { context: prepared.context, history: state.history })
  }

  /** The attempt came to nothing: what began early is stopped, and its results are never seen. */
  discard(): void {
    this.#discarded.abort()
  }

  /** Runs a call of a committed message. What changes something starts only when that is stored. */
  async run(call: Runnable, callId: string): Promise<ToolResult> {
    const run = this.#run
    const { name, effect } = call.tool
    if (run.isStopping || run.signal.aborted) return cutResult({ callId, toolName: name }, 'the run was stopped')
    run.sequence([{ type: 'tool-start', runId: run.id, callId, toolName: name, effect }])
    if (effect !== 'read') {
      // After a fault everything is void, this result too.
      await run.stored().catch(() => {})
      if (run.isStopping || run.signal.aborted) return cutResult({ callId, toolName: name }, 'the run was stopped')
    }
    return this.#execute(call, callId, run.signal, (text, progress) => this.#show(callId, text, progress))
  }

  #show(callId: string, text: string, progress: ToolProgress | undefined): void {
    const event: EventDraft = { type: 'tool-output', runId: this.#run.id, callId, text, ...(progress && { progress }) }
    this.#run.sequence([event])
  }

  /** Makes an early call visible, now that its message is. */
  announceEarly(callId: string, call: Runnable, early: EarlyCall): void {
    const run = this.#run
    run.sequence([{ type: 'tool-start', runId: run.id, callId, toolName: call.tool.name, effect: 'read' }])
    early.onOutput = (text, progress) => this.#show(callId, text, progress)
    const { text, progress } = early.output
    if (text !== '' || progress) this.#show(callId, text, progress)
  }

  /** From here on early calls stop with the run: one listener, however many there are. Returns its removal. */
  stopWithRun(): () => void {
    const { signal } = this.#run
    const discard = (): void => this.#discarded.abort(signal.reason)
    signal.addEventListener('abort', discard)
    if (signal.aborted) discard()
    return () => signal.removeEventListener('abort', discard)
  }

  async #execute(
    { tool, input }: Runnable,
    callId: string,
    signal: AbortSignal,
    onOutput: (text: string, progress?: ToolProgress) => void,
  ): Promise<ToolResult> {
    if (tool.execute === undefined) {
      const output = 'Not run: this tool is answered from outside, and nobody answers here.'
      return { callId, toolName: tool.name, outcome: 'skipped', output, durationMs: 0 }
    }
    return executeCall({ tool, input, callId, host: this.#host(), signal, clock: this.#run.clock, onOutput })
  }

  #host(): ToolHost {
    const run = this.#run
    const { store, ids, logger } = run.runtime
    const { id: sessionId, history } = run.state
    return {
      sessionId,
      runId: run.id,
      turn: this.#turn,
      context: run.prepared.context,
      history,
      ids,
      blobs: {
        put: (bytes, mediaType) => store.blobs.put(sessionId, bytes, mediaType),
        get: (sha256) => store.blobs.get(sessionId, sha256),
      },
      log: (message, details) => logger.log('debug', message, details),
    }
  }
}

/** Runs the calls of a committed message, each to its one result. */
export async function settleCalls(run: RunScope, parts: readonly ToolCallPart[], calls: Calls): Promise<void> {
  const prepared = await Promise.all(parts.map((part) => calls.earlyCall(part.callId)?.prepared ?? calls.prepare(part)))
  const scheduled = parts.map(({ callId }, i) => {
    const call = prepared[i] as PreparedCall
    if (!call.ok) {
      const refused = Promise.resolve(call.result)
      return { parallel: true, started: refused, run: () => refused }
    }
    run.sequence([{ type: 'tool-call', runId: run.id, callId, toolName: call.tool.name, input: call.sent }])
    const early = calls.earlyCall(callId)
    if (early === undefined) return { parallel: call.tool.parallel, run: () => calls.run(call, callId) }
    calls.announceEarly(callId, call, early)
    const started = early.result as Promise<ToolResult>
    return { parallel: call.tool.parallel, started, run: () => started }
  })
  const release = calls.stopWithRun()
  await runCalls(calls.gate, scheduled, (result) => sequenceResult(run, result)).finally(release)
}

/** The reply was cut: calls that had finished keep their results, the others are told why they never ran. */
export function cutCalls(run: RunScope, parts: readonly ToolCallPart[], calls: Calls, why: string): void {
  for (const part of parts) sequenceResult(run, calls.earlyCall(part.callId)?.finished ?? cutResult(part, why))
  calls.discard()
}

/**
 * What a dead owner left open, by effect: what may run again runs again, what may have changed something is reported as
 * unknown. Nothing at all for a run that just began.
 */
export async function settleOpenCalls(run: RunScope): Promise<void> {
  const open = Object.values(run.state.pending.calls)
  if (open.length === 0) return
  const calls = new Calls(run, run.turns)
  const again = open.filter(({ started }) => started !== 'write' && !run.isStopping)
  for (const call of open) if (!again.includes(call)) sequenceResult(run, interruptedResult(call))
  const prepared = await Promise.all(again.map((call) => calls.prepare(callAgain(call, run))))
  const scheduled = again.map(({ callId, started }, i) => {
    const call = prepared[i] as PreparedCall
    if (!call.ok) return { parallel: true, run: () => Promise.resolve(call.result) }
    run.sequence([{ type: 'tool-call', runId: run.id, callId, toolName: call.tool.name, input: call.sent }])
    return {
      parallel: call.tool.parallel,
      run: async (): Promise<ToolResult> => {
        const result = await calls.run(call, callId)
        return started === undefined ? result : { ...result, recovery: 'replayed' }
      },
    }
  })
  await runCalls(calls.gate, scheduled, (result) => sequenceResult(run, result))
}

function callAgain({ callId, toolName, messageId, part, input }: PendingCall, run: RunScope): RequestedCall {
  if (input !== undefined) return { callId, toolName, input }
  const message = run.state.history.find(({ id }) => id === messageId)
  const written = message?.role === 'assistant' ? message.parts[part] : undefined
  return {
    callId,
    toolName,
    ...(written?.type === 'tool-call' && written.inputText !== undefined && { inputText: written.inputText }),
  }
}

function sequenceResult(run: RunScope, result: ToolResult): void {
  run.sequence([{ type: 'tool-result', runId: run.id, result }])
}
