import type { EventDraft, ToolProgress } from '../protocol/events.ts'
import type { ToolResult } from '../protocol/messages.ts'
import type { ToolHost } from '../tools/context.ts'
import { executeCall } from '../tools/execute.ts'
import { prepareCall, type RequestedCall } from '../tools/prepare.ts'
import { callGate } from '../tools/schedule.ts'
import { cutResult } from './call-result.ts'
import { PARALLEL_CALLS } from './defaults.ts'
import { type Deferred, deferred } from './deferred.ts'
import { nextStep, type Runnable, type Step } from './gate.ts'
import { rare } from './late.ts'
import type { RunScope } from './run-scope.ts'

interface EarlyCall {
  readonly start: EventDraft
  readonly step: Promise<Step>
  /** Undefined when it may not start early after all. */
  readonly result: Promise<ToolResult | undefined>
  finished?: ToolResult | undefined
  /** Its message is committed: it may show what it prints, and ask. */
  readonly announced: Deferred<void>
}

type Report = (text: string, progress?: ToolProgress) => void

/** The calls of one attempt, as they run. */
export interface Calls {
  /** Pulled with the signal of the run, and when the attempt comes to nothing: for its request, and for its tools. */
  readonly signal: AbortSignal
  /**
   * A call is complete and the model still talks. One that only reads and needs nobody's word starts now: its result waits
   * for the message, and is thrown away with a discarded attempt.
   */
  early(call: RequestedCall): void
  /** The result of a call that is over already. */
  finishedEarly(callId: string): ToolResult | undefined
  /** What is shown before a call of a committed message starts: that it did already. */
  startedEarly(callId: string): EventDraft | undefined
  /** What comes next for a call of a committed message. */
  next(call: RequestedCall): Promise<Step>
  /** Runs a call of a committed message. What changes something starts only when that is stored. */
  start(call: Runnable, callId: string): Promise<ToolResult>
  /** The signal of the run is listened to no longer. With a reason, what still runs is stopped, and its results are never seen. */
  end(reason?: unknown): void
}

export function createCalls(run: RunScope, turn: number): Calls {
  const gate = callGate(PARALLEL_CALLS)
  const earlyCalls = new Map<string, EarlyCall>()
  const controller = new AbortController()
  const { signal } = controller
  const onStop = (): void => end(run.signal.reason)
  run.signal.addEventListener('abort', onStop)
  if (run.signal.aborted) onStop()

  function end(reason?: unknown): void {
    run.signal.removeEventListener('abort', onStop)
    if (reason !== undefined) controller.abort(reason)
  }

  async function decide(call: RequestedCall): Promise<Step> {
    const { prepared, state } = run
    const scope = { context: prepared.context, history: state.history }
    const step = await nextStep(run, call.callId, await prepareCall(prepared.tools.own, call, scope))
    return step.type === 'result' ? { ...step, result: await told(step.result) } : step
  }

  /** As the model will be told. */
  function told(result: ToolResult): ToolResult | Promise<ToolResult> {
    return run.hooks?.().then(({ toolOutput }) => toolOutput(run, result)) ?? result
  }

  async function execute(
    call: Runnable,
    callId: string,
    onOutput: Report,
    mayAsk?: Promise<void>,
  ): Promise<ToolResult> {
    const { tool, input, ranWith } = call
    const within = run.hooks && (await run.hooks()).aroundTool(run, callId, call)
    const host = { ...hostOf(callId, tool.name, mayAsk), ...(within && { within }) }
    const result = await executeCall({ tool, input, callId, host, signal, clock: run.clock, onOutput })
    return told(ranWith === undefined ? result : { ...result, ranWith })
  }

  async function runCommitted(call: Runnable, callId: string): Promise<ToolResult> {
    const { name: toolName, effect } = call.tool
    const isCut = (): boolean => run.isStopping || run.signal.aborted
    if (!isCut()) {
      run.sequence([{ type: 'tool-start', runId: run.id, callId, toolName, effect }])
      // After a fault everything is void, this result too.
      if (effect !== 'read') await run.stored().catch(() => {})
    }
    if (isCut()) return cutResult({ callId, toolName }, 'the run was stopped')
    return execute(call, callId, (text, progress) => show(callId, text, progress))
  }

  function show(callId: string, text: string, progress: ToolProgress | undefined): void {
    run.sequence([{ type: 'tool-output', runId: run.id, callId, text, ...(progress && { progress }) }])
  }

  function hostOf(callId: string, toolName: string, mayAsk: Promise<void> | undefined): ToolHost {
    const { store, ids, logger } = run.runtime
    const { id: sessionId, history } = run.state
    let asked = 0
    return {
      sessionId,
      runId: run.id,
      turn,
      context: run.prepared.context,
      history,
      ids,
      blobs: {
        put: (bytes, mediaType) => store.blobs.put(sessionId, bytes, mediaType),
        get: (sha256) => store.blobs.get(sessionId, sha256),
      },
      async ask(questions) {
        const nth = ++asked
        await mayAsk
        return (await rare()).askPerson(run, { callId, toolName }, questions, nth)
      },
      log: (message, details) => logger.log('debug', message, details),
    }
  }

  return {
    signal,
    early(call) {
      const { callId, toolName } = call
      const tool = run.prepared.tools.own.get(toolName)
      if (tool?.effect !== 'read' || tool.execute === undefined || run.isStopping) return
      const announced = deferred()
      const report: Report = (text, progress) => void announced.promise.then(() => show(callId, text, progress))
      const step = decide(call)
      const result = step.then((decided) =>
        decided.type === 'run'
          ? gate.run(tool.parallel, () => execute(decided.call, callId, report, announced.promise))
          : undefined,
      )
      const start: EventDraft = { type: 'tool-start', runId: run.id, callId, toolName, effect: 'read' }
      const early: EarlyCall = { start, step, result, announced }
      earlyCalls.set(callId, early)
      result.then(
        (finished) => Object.assign(early, { finished }),
        () => {},
      )
    },
    finishedEarly: (callId) => earlyCalls.get(callId)?.finished,
    startedEarly: (callId) => earlyCalls.get(callId)?.start,
    async next(call) {
      const early = earlyCalls.get(call.callId)
      if (early === undefined) return decide(call)
      const step = await early.step
      // It did not start early after all: what comes after an answer is decided then.
      if (step.type !== 'run') earlyCalls.delete(call.callId)
      return step
    },
    start(call, callId) {
      const early = earlyCalls.get(callId)
      if (early === undefined) return gate.run(call.tool.parallel, () => runCommitted(call, callId))
      early.announced.resolve()
      return early.result as Promise<ToolResult>
    },
    end,
  }
}
