import { LoopDetector } from '../guards/looping.ts'
import { errorInfo, ProviderError, StepwellError } from '../protocol/errors.ts'
import type { ModelEvent } from '../providers/provider.ts'
import type { Attempt, Turn } from './attempt-record.ts'
import { createCalls } from './execution.ts'
import { rare } from './late.ts'
import { modelRef } from './prepare.ts'
import { createReply, type Reply } from './reply.ts'
import { aborted } from './run-end.ts'
import type { RunScope } from './run-scope.ts'
import type { Screening } from './screening.ts'
import { watch } from './watchdog.ts'

/** Makes one request and shows the reply as it comes. Never rejects. The caller commits what came of it. */
export async function makeAttempt(run: RunScope, turn: Turn, number: number): Promise<Attempt> {
  const { runtime, model } = run
  const { estimatedTokens, messageId, purpose } = turn
  const reply = createReply(run.id, () => runtime.ids('call'))
  const calls = createCalls(run, turn.number)
  const attempt: Attempt = { number, model, reply, calls, estimatedTokens, isSent: false }
  const { contextWindow: window } = model.capabilities
  run.sequence([
    {
      type: 'turn-start',
      runId: run.id,
      turn: turn.number,
      attempt: number,
      messageId,
      purpose,
      model: modelRef(model),
      estimatedTokens,
      context: { used: estimatedTokens, ...(window !== undefined && { window }) },
    },
  ])
  try {
    await run.stored()
    if (run.isStopping) throw aborted()
    attempt.isSent = true
    await stream(run, turn, attempt)
    if (reply.done === undefined) {
      throw new ProviderError('provider.stream-truncated', 'The reply broke off before its end.', {
        retryable: true,
        sentOutput: reply.length > 0,
      })
    }
  } catch (thrown) {
    attempt.failure = run.isStopping || run.signal.aborted ? aborted() : failureOf(thrown, reply)
    calls.end(attempt.failure)
  }
  return attempt
}

/** Reads the reply to its end, within the deadlines, and no longer than the run wants it: throws where it is cut. */
async function stream(run: RunScope, turn: Turn, attempt: Attempt): Promise<void> {
  const { runtime } = run
  const { model, reply, calls } = attempt
  const { signal } = calls
  let fail = (_reason: unknown): void => {}
  const stop = (): void => fail(signal.reason)
  signal.addEventListener('abort', stop)
  const watchdog = watch(run.clock, runtime.timeouts, calls.end)
  let events: AsyncIterator<readonly ModelEvent[]> | undefined
  let screening: Screening | undefined
  const loops = new LoopDetector()
  const show = (read: readonly ModelEvent[]): boolean => {
    const drafts = reply.take(read, calls.early)
    if (drafts.length > 0) run.sequence(drafts)
    return drafts.some((draft) => 'text' in draft && loops.push(draft.text))
  }
  try {
    if (runtime.compliance) screening = (await rare()).screening(run, runtime.compliance)
    const held = run.hooks && (await run.hooks()).heldReply(run, turn, reply, loops)
    if (runtime.onRequest) (await rare()).showRequest(run, turn)
    events = model.stream(turn.request, { signal })[Symbol.asyncIterator]()
    const source = events
    for (;;) {
      const read = await new Promise<IteratorResult<readonly ModelEvent[]>>((resolve, reject) => {
        fail = reject
        if (signal.aborted) reject(signal.reason)
        source.next().then(resolve, reject)
      })
      if (read.done) return
      watchdog.touch()
      const heard = held ? await held.take(read.value) : read.value
      const isLooping = show(screening?.take(heard) ?? heard) || held?.isLooping
      const cut = screening?.blocked ?? (isLooping ? (await rare()).cutLooping() : undefined)
      if (cut !== undefined) {
        attempt.cut = cut.cut
        throw cut.failure
      }
      // What a provider does after its last word changes nothing.
      if (reply.done !== undefined) return
    }
  } finally {
    if (screening !== undefined) {
      show(screening.end())
      reply.warnings.push(...screening.warnings)
    }
    watchdog.stop()
    signal.removeEventListener('abort', stop)
    // A provider that does not listen is left behind: it is asked to end, and not waited for.
    events?.return?.().catch(() => {})
  }
}

function failureOf(thrown: unknown, reply: Reply): StepwellError {
  if (thrown instanceof StepwellError) return thrown
  return new ProviderError('provider.protocol', `The model provider failed: ${errorInfo(thrown).message}`, {
    cause: thrown,
    sentOutput: reply.length > 0,
  })
}
