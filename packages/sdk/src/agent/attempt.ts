import { LoopDetector } from '../guards/looping.ts'
import { errorInfo, ProviderError, SessionError, StepwellError } from '../protocol/errors.ts'
import type { ModelEvent } from '../providers/provider.ts'
import type { Attempt, Turn } from './attempt-record.ts'
import { Calls } from './execution.ts'
import { logThrown } from './log-thrown.ts'
import { modelRef } from './prepare.ts'
import { Reply } from './reply.ts'
import type { RunScope } from './run-scope.ts'
import type { Screening } from './screening.ts'
import { watch } from './watchdog.ts'

/** Makes one request and shows the reply as it comes. Never rejects. The caller commits what came of it. */
export async function makeAttempt(run: RunScope, turn: Turn, number: number): Promise<Attempt> {
  const { runtime, model } = run
  const reply = new Reply(run.id, () => runtime.ids('call'))
  const calls = new Calls(run, turn.number)
  const attempt: Attempt = { number, model, reply, calls, estimatedTokens: turn.estimatedTokens, isSent: false }
  const { contextWindow: window } = model.capabilities
  run.sequence([
    {
      type: 'turn-start',
      runId: run.id,
      turn: turn.number,
      attempt: number,
      messageId: turn.messageId,
      purpose: turn.purpose,
      model: modelRef(model),
      estimatedTokens: turn.estimatedTokens,
      context: { used: turn.estimatedTokens, ...(window !== undefined && { window }) },
    },
  ])
  try {
    await run.stored()
    if (run.isStopping) throw aborted()
    attempt.isSent = true
    const cut = await stream(run, turn, attempt)
    if (cut !== undefined) {
      calls.discard()
      return { ...attempt, ...cut }
    }
    if (reply.done === undefined) throw truncated(reply)
    return attempt
  } catch (thrown) {
    calls.discard()
    return { ...attempt, failure: run.isStopping || run.signal.aborted ? aborted() : failureOf(thrown, reply) }
  }
}

/** Reads the reply to its end, within the deadlines, and no longer than the run wants it. Gives why we cut it, if we did. */
async function stream(
  run: RunScope,
  turn: Turn,
  { model, reply, calls }: Attempt,
): Promise<Pick<Attempt, 'cut' | 'failure'> | undefined> {
  const { runtime } = run
  const controller = new AbortController()
  let fail = (_reason: unknown): void => {}
  const cancel = (reason: unknown): void => {
    controller.abort(reason)
    fail(reason)
  }
  const stop = (): void => cancel(run.signal.reason)
  const watchdog = watch(run.clock, runtime.timeouts, cancel)
  run.signal.addEventListener('abort', stop)
  if (run.signal.aborted) stop()
  let events: AsyncIterator<readonly ModelEvent[]> | undefined
  let screening: Screening | undefined
  const loops = new LoopDetector()
  const show = (read: readonly ModelEvent[]): boolean => {
    const drafts = reply.take(read, (call) => calls.early(call))
    if (drafts.length > 0) run.sequence(drafts)
    return drafts.some((draft) => 'text' in draft && loops.push(draft.text))
  }
  try {
    if (runtime.compliance) screening = (await import('./rare.ts')).screening(run, runtime.compliance)
    const held = run.hooks && (await run.hooks()).heldReply(run, turn, reply, loops)
    showRequest(run, turn)
    events = model.stream(turn.request, { signal: controller.signal })[Symbol.asyncIterator]()
    const source = events
    for (;;) {
      const read = await new Promise<IteratorResult<readonly ModelEvent[]>>((resolve, reject) => {
        fail = reject
        if (controller.signal.aborted) reject(controller.signal.reason)
        source.next().then(resolve, reject)
      })
      if (read.done) return undefined
      watchdog.touch()
      const heard = held ? await held.take(read.value) : read.value
      const isLooping = show(screening?.take(heard) ?? heard) || held?.isLooping
      const cut = screening?.blocked ?? (isLooping ? LOOPING : undefined)
      if (cut !== undefined) {
        controller.abort(cut.failure)
        return cut
      }
      // What a provider does after its last word changes nothing.
      if (reply.done !== undefined) return undefined
    }
  } finally {
    if (screening !== undefined) {
      show(screening.end())
      reply.warnings.push(...screening.warnings)
    }
    fail = () => {}
    watchdog.stop()
    run.signal.removeEventListener('abort', stop)
    // A provider that does not listen is left behind: it is asked to end, and not waited for.
    events?.return?.().catch(() => {})
  }
}

const LOOPING = {
  cut: 'looping',
  failure: new StepwellError('output.looping', 'The reply repeated itself without an end, and was cut.'),
} as const

function showRequest({ runtime }: RunScope, { request: { bytes: _bytes, ...request } }: Turn): void {
  try {
    runtime.onRequest?.(request)
  } catch (thrown) {
    logThrown(runtime.logger, 'error', 'onRequest threw')(thrown)
  }
}

function truncated({ length }: Reply): ProviderError {
  return new ProviderError('provider.stream-truncated', 'The reply broke off before its end.', {
    retryable: true,
    sentOutput: length > 0,
  })
}

function aborted(): SessionError {
  return new SessionError('session.aborted', 'The run was stopped.')
}

function failureOf(thrown: unknown, reply: Reply): StepwellError {
  if (thrown instanceof StepwellError) return thrown
  const { message } = errorInfo(thrown)
  return new ProviderError('provider.protocol', `The model provider failed: ${message}`, {
    cause: thrown,
    sentOutput: reply.length > 0,
  })
}
