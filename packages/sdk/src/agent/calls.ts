import { defined } from '../protocol/fields.ts'
import type { AssistantMessage, ToolCallPart, ToolResult } from '../protocol/messages.ts'
import type { PendingCall } from '../protocol/state.ts'
import type { RequestedCall } from '../tools/prepare.ts'
import { sequenceResult } from './call-result.ts'
import { nextDeadline } from './deadlines.ts'
import { type Calls, createCalls } from './execution.ts'
import type { Step } from './gate.ts'
import { rare } from './late.ts'
import { aborted } from './run-end.ts'
import type { RunScope } from './run-scope.ts'

/**
 * Brings the open calls to their results. A request holds back its own call and no other; when nothing but requests is
 * left the run parks.
 */
export async function settleCalls(run: RunScope, calls: Calls): Promise<'settled' | 'parked'> {
  const running = new Set<Promise<void>>()
  const started = new Set<string>()
  try {
    for (;;) {
      if (run.fault !== undefined) throw run.fault
      if (run.state.pending.requests.length > 0) (await rare()).expireRequests(run)
      await advance(run, calls, started, running)
      const { pending, status } = run.state
      if (running.size === 0) {
        if (Object.keys(pending.calls).length === 0) return 'settled'
        if (status !== 'waiting') continue
        run.sequence([], { row: { parked: true, wakeAt: nextDeadline(run.state) ?? null } })
        return 'parked'
      }
      const news = Promise.race([...running, run.changed()])
      if (pending.requests.length === 0) {
        await news
        continue
      }
      // A fault is heard below, also one that comes while this loads.
      news.catch(() => {})
      await (await rare()).untilExpiry(run, news)
    }
  } finally {
    // An abort may be known before the signal of its run is pulled.
    calls.end(run.isStopping ? aborted() : undefined)
  }
}

/** Takes every call that nothing holds back one step further, in the order of the calls. */
async function advance(run: RunScope, calls: Calls, started: Set<string>, running: Set<Promise<void>>): Promise<void> {
  // One that a dead owner had started asks again from inside, and finds its question open.
  const isDue = (call: PendingCall): boolean =>
    !started.has(call.callId) && (call.requestId === undefined || call.started !== undefined)
  if (run.isStopping) return (await rare()).cutWaitingCalls(run, started)
  const due = Object.values(run.state.pending.calls).filter(isDue)
  if (due.length === 0) return
  const steps = await Promise.race([Promise.all(due.map((call) => calls.next(requested(call, run)))), calls.stopped])
  // An abort may have come in between, and its signal later: then nothing is asked and nothing starts.
  if (!steps || run.isStopping) return
  const settle = (result: ToolResult): void => {
    sequenceResult(run, result)
    const { hooks } = run
    if (hooks === undefined) return
    const told = hooks()
      .then(({ afterTool }) => afterTool(run, result))
      .finally(() => running.delete(told))
    running.add(told)
  }
  for (const [i, call] of due.entries()) {
    const step = steps[i] as Step
    const { callId, toolName } = call
    if (step.changes) run.sequence(step.changes)
    if (step.type === 'result') {
      settle(step.result)
      continue
    }
    run.sequence([{ type: 'tool-call', runId: run.id, callId, toolName, input: step.input }])
    if (step.type === 'request') {
      run.sequence([{ type: 'request', runId: run.id, request: step.request }])
      continue
    }
    started.add(callId)
    const work = calls.start(step.call, callId).then((result) => {
      running.delete(work)
      settle(call.started === undefined ? result : { ...result, recovery: 'replayed' })
    })
    running.add(work)
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
