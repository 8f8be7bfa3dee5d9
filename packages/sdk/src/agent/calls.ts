import type { EventDraft } from '../protocol/events.ts'
import { defined } from '../protocol/fields.ts'
import type { AssistantMessage, ToolCallPart, ToolResult } from '../protocol/messages.ts'
import type { Request } from '../protocol/requests.ts'
import type { PendingCall } from '../protocol/state.ts'
import type { RequestedCall } from '../tools/prepare.ts'
import { resultEvents } from './call-result.ts'
import { VERDICT_WAIT_MS } from './defaults.ts'
import { deferred } from './deferred.ts'
import { type Calls, createCalls } from './execution.ts'
import type { Step } from './gate.ts'
import { rare } from './late.ts'
import { aborted } from './run-end.ts'
import type { RunScope } from './run-scope.ts'

/**
 * Brings the open calls to their results. A request holds back its own call and no other, and so does a verdict that is
 * slow; when nothing but requests is left the run parks.
 */
export async function settleCalls(run: RunScope, calls: Calls): Promise<'settled' | 'parked'> {
  /** What comes next for the calls that were asked about, in the order of the calls; undefined while that is not known. */
  const asked = new Map<string, Step | 'late' | undefined>()
  const started = new Set<string>()
  const finished: ToolResult[] = []
  let working = 0
  let requests: readonly Request[] | undefined
  let failure: { readonly thrown: unknown } | undefined
  let news = deferred()
  let stopTimer: (() => void) | undefined

  /** Is heard of when it is over, and ends all with what it throws. */
  async function heed(work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (thrown) {
      failure = { thrown }
    }
    news.resolve()
  }

  /** Nothing is settled before it is over. */
  function track(work: Promise<unknown>): void {
    working++
    void heed(work.finally(() => working--))
  }

  /** What is written down of a call that is over. */
  function over(result: ToolResult): EventDraft[] {
    const { hooks } = run
    if (hooks !== undefined) track(hooks().then(({ afterTool }) => afterTool(run, result)))
    return resultEvents(run, result)
  }

  /** Asks what comes next for every call that nothing holds back. Only an answer lets go of one that was held back. */
  function ask(): void {
    const { pending } = run.state
    if (pending.requests === requests) return
    requests = pending.requests
    for (const call of Object.values(pending.calls)) {
      const { callId, requestId, started: before } = call
      // One that a dead owner had started asks again from inside, and finds its question open.
      const isHeld = requestId !== undefined && before === undefined
      if (isHeld || started.has(callId) || asked.has(callId)) continue
      asked.set(callId, undefined)
      void heed(calls.next(requested(call, run)).then((step) => asked.has(callId) && asked.set(callId, step)))
    }
  }

  /** Takes the calls a step further. One that runs alone keeps its place behind those that are not decided, for a while. */
  function advance(): void {
    const drafts = finished.splice(0).flatMap(over)
    let isBehind = false
    for (const [callId, step] of asked) {
      isBehind ||= step === undefined
      if (step === undefined || step === 'late') continue
      if (isBehind && step.type === 'run' && !step.call.tool.parallel) {
        stopTimer ??= run.clock.setTimer(waitNoLonger, VERDICT_WAIT_MS)
        continue
      }
      asked.delete(callId)
      const { toolName, started: before } = run.state.pending.calls[callId] as PendingCall
      drafts.push(...(step.changes ?? []))
      if (step.type === 'result') {
        drafts.push(...over(step.result))
        continue
      }
      drafts.push({ type: 'tool-call', runId: run.id, callId, toolName, input: step.input })
      if (step.type === 'request') {
        drafts.push({ type: 'request', runId: run.id, request: step.request })
        continue
      }
      started.add(callId)
      const start = calls.startedEarly(callId)
      if (start) drafts.push(start)
      // In a later tick, when all of this is sequenced.
      const work = calls.start(step.call, callId)
      track(work.then((result) => finished.push(before ? { ...result, recovery: 'replayed' } : result)))
    }
    if (drafts.length > 0) run.sequence(drafts)
  }

  function waitNoLonger(): void {
    stopTimer = undefined
    for (const [callId, step] of asked) asked.set(callId, step ?? 'late')
    news.resolve()
  }

  try {
    for (;;) {
      const isWaiting = run.isStopping || run.state.pending.requests.length > 0
      const more = isWaiting ? await rare() : undefined
      more?.expireRequests(run)
      if (failure !== undefined) throw failure.thrown
      if (run.fault !== undefined) throw run.fault
      // All at once from here to the wait: it hears of whatever comes after this.
      const change = run.changed()
      news = deferred()
      if (run.isStopping) asked.clear()
      else ask()
      advance()
      if (run.isStopping) more?.cutWaitingCalls(run, started)
      if (working + asked.size === 0) {
        if (Object.keys(run.state.pending.calls).length === 0) return 'settled'
        if (more === undefined || run.state.status !== 'waiting') continue
        return more.park(run)
      }
      const heard = Promise.race([news.promise, change])
      await (more?.untilExpiry(run, heard) ?? heard)
    }
  } finally {
    stopTimer?.()
    // An abort may be known before the signal of its run is pulled.
    calls.end(run.isStopping ? aborted() : undefined)
  }
}

/**
 * What a dead owner or a parked run left open, by effect: what may run again runs again, what may have changed something
 * is reported as unknown, what waited for an answer goes on with it. Nothing at all for a run that just began.
 */
export async function settleOpenCalls(run: RunScope): Promise<'settled' | 'parked'> {
  if (Object.keys(run.state.pending.calls).length === 0) return 'settled'
  ;(await rare()).endInterruptedWrites(run)
  const settled = await settleCalls(run, createCalls(run, run.turns))
  if (settled === 'settled' && run.hooks) await (await run.hooks()).afterTurn(run)
  return settled
}

function requested(call: PendingCall, run: RunScope): RequestedCall {
  const { callId, toolName, messageId, part, changedInput, input } = call
  const known = changedInput ?? input
  if (known !== undefined) return { callId, toolName, input: known }
  // It is no JSON object, and stands in its message alone.
  const message = run.state.history.findLast(({ id }) => id === messageId) as AssistantMessage | undefined
  const { inputText } = (message?.parts[part] ?? {}) as Partial<ToolCallPart>
  return defined({ callId, toolName, inputText })
}
