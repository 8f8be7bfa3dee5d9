import { SessionError } from '../protocol/errors.ts'
import type { EventDraft, ToolProgress } from '../protocol/events.ts'
import type { ToolResult } from '../protocol/messages.ts'
import type { ToolHost } from '../tools/context.ts'
import { executeCall } from '../tools/execute.ts'
import { prepareCall, type RequestedCall } from '../tools/prepare.ts'
import { callGate } from '../tools/schedule.ts'
import { cutResult } from './call-result.ts'
import { PARALLEL_CALLS } from './defaults.ts'
import { deferred } from './deferred.ts'
import { nextStep, type Runnable, type Step } from './gate.ts'
import type { RunScope } from './run-scope.ts'

interface EarlyCall {
  readonly step: Promise<Step>
  /** Undefined when it may not start early after all. */
  readonly result: Promise<ToolResult | undefined>
  finished?: ToolResult
  /** What it printed before its message was committed. */
  output: { text: string; progress?: ToolProgress }
  onOutput?: (text: string, progress?: ToolProgress) => void
  /** Settles when its message is committed: only then it may ask anybody. */
  readonly announced: Promise<void>
  announce(): void
}

type Report = (text: string, progress?: ToolProgress) => void

/** The calls of one reply, as they run. */
export class Calls {
  readonly #gate = callGate(PARALLEL_CALLS)
  readonly #early = new Map<string, EarlyCall>()
  readonly #discarded = new AbortController()
  readonly #run: RunScope
  readonly #turn: number

  constructor(run: RunScope, turn: number) {
    this.#run = run
    this.#turn = turn
  }

  /**
   * A call is complete and the model still talks. One that only reads and needs nobody's word starts now: its result waits
   * for the message, and is thrown away with a discarded attempt.
   */
  early(call: RequestedCall): void {
    const run = this.#run
    const tool = run.prepared.tools.own.get(call.toolName)
    if (tool?.effect !== 'read' || tool.execute === undefined || run.isStopping) return
    const { callId } = call
    const step = this.#step(call)
    const { promise: announced, resolve: announce } = deferred()
    const report: Report = (text, progress) => {
      if (early.onOutput) return early.onOutput(text, progress)
      early.output = {
        text: early.output.text + text,
        ...(progress ? { progress } : early.output.progress && { progress: early.output.progress }),
      }
    }
    const start = async (): Promise<ToolResult | undefined> => {
      const decided = await step
      if (decided.type !== 'run') return undefined
      const { tool } = decided.call
      const { signal } = this.#discarded
      return this.#gate.run(tool.parallel, () => this.#execute(decided.call, callId, signal, report, announced))
    }
    const early: EarlyCall = { step, result: start(), output: { text: '' }, announced, announce }
    this.#early.set(callId, early)
    void early.result.then((result) => {
      if (result !== undefined) early.finished = result
    })
  }

  /** The result of a call that is over already. */
  finishedEarly(callId: string): ToolResult | undefined {
    return this.#early.get(callId)?.finished
  }

  /** What comes next for a call of a committed message. */
  async next(call: RequestedCall): Promise<Step> {
    const early = this.#early.get(call.callId)
    if (early === undefined) return this.#step(call)
    const step = await early.step
    // It did not start early after all: what comes after an answer is decided then.
    if (step.type !== 'run') this.#early.delete(call.callId)
    return step
  }

  /** The attempt came to nothing: what began early is stopped, and its results are never seen. */
  discard(): void {
    this.#discarded.abort()
  }

  /** Runs a call of a committed message. What changes something starts only when that is stored. */
  start(call: Runnable, callId: string): Promise<ToolResult> {
    const early = this.#early.get(callId)
    if (early === undefined) return this.#gate.run(call.tool.parallel, () => this.#runCommitted(call, callId))
    this.#announce(callId, call, early)
    return early.result as Promise<ToolResult>
  }

  /** From here on early calls stop with the run: one listener, however many there are. Returns what ends it, and them. */
  stopWithRun(): () => void {
    const { signal } = this.#run
    const discard = (): void => this.#discarded.abort(signal.reason)
    signal.addEventListener('abort', discard)
    if (signal.aborted) discard()
    return () => {
      signal.removeEventListener('abort', discard)
      // Cut before the signal of its run was pulled.
      this.#discarded.abort(new SessionError('session.aborted', 'The run was stopped.'))
    }
  }

  async #step(call: RequestedCall): Promise<Step> {
    const { prepared, state } = this.#run
    const scope = { context: prepared.context, history: state.history }
    const step = await nextStep(this.#run, call.callId, await prepareCall(prepared.tools.own, call, scope))
    return step.type === 'result' ? { ...step, result: await this.#told(step.result) } : step
  }

  async #runCommitted(call: Runnable, callId: string): Promise<ToolResult> {
    const run = this.#run
    const { name, effect } = call.tool
    const stopped = () => cutResult({ callId, toolName: name }, 'the run was stopped')
    if (run.isStopping || run.signal.aborted) return stopped()
    run.sequence([{ type: 'tool-start', runId: run.id, callId, toolName: name, effect }])
    if (effect !== 'read') {
      // After a fault everything is void, this result too.
      await run.stored().catch(() => {})
      if (run.isStopping || run.signal.aborted) return stopped()
    }
    const show: Report = (text, progress) => this.#show(callId, text, progress)
    return this.#execute(call, callId, run.signal, show)
  }

  async #execute(
    call: Runnable,
    callId: string,
    signal: AbortSignal,
    onOutput: Report,
    announced?: Promise<void>,
  ): Promise<ToolResult> {
    const { tool, input, ranWith } = call
    const run = this.#run
    const within = run.hooks && (await run.hooks()).aroundTool(run, callId, call)
    const host = { ...this.#host(callId, tool.name, announced), ...(within && { within }) }
    const result = await executeCall({ tool, input, callId, host, signal, clock: run.clock, onOutput })
    return this.#told(ranWith === undefined ? result : { ...result, ranWith })
  }

  /** As the model will be told. */
  async #told(result: ToolResult): Promise<ToolResult> {
    const run = this.#run
    return run.hooks ? (await run.hooks()).toolOutput(run, result) : result
  }

  #show(callId: string, text: string, progress: ToolProgress | undefined): void {
    const event: EventDraft = { type: 'tool-output', runId: this.#run.id, callId, text, ...(progress && { progress }) }
    this.#run.sequence([event])
  }

  /** Makes an early call visible, now that its message is. */
  #announce(callId: string, call: Runnable, early: EarlyCall): void {
    const run = this.#run
    run.sequence([{ type: 'tool-start', runId: run.id, callId, toolName: call.tool.name, effect: 'read' }])
    early.onOutput = (text, progress) => this.#show(callId, text, progress)
    const { text, progress } = early.output
    if (text !== '' || progress) this.#show(callId, text, progress)
    early.announce()
  }

  #host(callId: string, toolName: string, announced: Promise<void> | undefined): ToolHost {
    const run = this.#run
    const { store, ids, logger } = run.runtime
    const { id: sessionId, history } = run.state
    let asked = 0
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
      async ask(questions) {
        const nth = ++asked
        await announced
        const { askPerson } = await import('./rare.ts')
        return askPerson(run, { callId, toolName }, questions, nth)
      },
      log: (message, details) => logger.log('debug', message, details),
    }
  }
}
