import { tokensOfLength } from '../context/estimate.ts'
import { errorInfo, ProviderError, SessionError, StepwellError, thrownText } from '../protocol/errors.ts'
import type { EventDraft } from '../protocol/events.ts'
import { addUsage, totalTokens, type Usage } from '../protocol/usage.ts'
import type { ModelEvent } from '../providers/provider.ts'
import { Calls } from './execution.ts'
import { modelRef } from './prepare.ts'
import { Reply } from './reply.ts'
import type { BuiltRequest } from './request.ts'
import type { RunScope } from './run-scope.ts'
import { watch } from './watchdog.ts'

export interface Turn extends BuiltRequest {
  readonly number: number
  readonly messageId: string
}

/** One request to the model and what came of it. */
export interface Attempt {
  readonly number: number
  readonly reply: Reply
  /** Calls that began while the model was still talking. */
  readonly calls: Calls
  readonly estimatedTokens: number
  /** Why there is no whole reply; `session.aborted` when the run was stopped. */
  readonly failure?: StepwellError
}

/** Makes one request and shows the reply as it comes. Never rejects. The caller commits what came of it. */
export async function makeAttempt(run: RunScope, turn: Turn, number: number): Promise<Attempt> {
  const { runtime } = run
  const reply = new Reply(run.id, () => runtime.ids('call'))
  const calls = new Calls(run, turn.number)
  const attempt = { number, reply, calls, estimatedTokens: turn.estimatedTokens }
  const { contextWindow: window } = runtime.model.capabilities
  run.sequence([
    {
      type: 'turn-start',
      runId: run.id,
      turn: turn.number,
      attempt: number,
      messageId: turn.messageId,
      purpose: 'reply',
      model: modelRef(runtime.model),
      estimatedTokens: turn.estimatedTokens,
      context: { used: turn.estimatedTokens, ...(window !== undefined && { window }) },
    },
  ])
  try {
    await run.stored()
    if (run.isStopping) throw aborted()
    await stream(run, turn, attempt)
    if (reply.done === undefined) throw truncated(reply)
    return attempt
  } catch (thrown) {
    calls.discard()
    return { ...attempt, failure: run.isStopping || run.signal.aborted ? aborted() : failureOf(thrown, reply) }
  }
}

/** Reads the reply to its end, within the deadlines, and no longer than the run wants it. */
async function stream(run: RunScope, turn: Turn, { reply, calls }: Attempt): Promise<void> {
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
  try {
    showRequest(run, turn)
    events = runtime.model.stream(turn.request, { signal: controller.signal })[Symbol.asyncIterator]()
    const source = events
    for (;;) {
      const read = await new Promise<IteratorResult<readonly ModelEvent[]>>((resolve, reject) => {
        fail = reject
        if (controller.signal.aborted) reject(controller.signal.reason)
        source.next().then(resolve, reject)
      })
      if (read.done) return
      watchdog.touch()
      const drafts = reply.take(read.value, (call) => calls.early(call))
      if (drafts.length > 0) run.sequence(drafts)
      // What a provider does after its last word changes nothing.
      if (reply.done !== undefined) return
    }
  } finally {
    fail = () => {}
    watchdog.stop()
    run.signal.removeEventListener('abort', stop)
    // A provider that does not listen is left behind: it is asked to end, and not waited for.
    events?.return?.().catch(() => {})
  }
}

function showRequest({ runtime }: RunScope, { request: { bytes: _bytes, ...request } }: Turn): void {
  try {
    runtime.onRequest?.(request)
  } catch (thrown) {
    runtime.logger.log('error', 'onRequest threw', { error: thrownText(thrown) })
  }
}

/** What the attempt cost, by the provider's word or else by estimate. */
export function usageOf(run: RunScope, attempt: Attempt): EventDraft {
  const { reply, failure } = attempt
  const { usage } = run.state
  const { model, capabilities } = run.runtime.model
  const call = callUsage(attempt)
  const used = call.estimated ? undefined : totalTokens(call)
  const { contextWindow: window } = capabilities
  return {
    type: 'usage',
    runId: run.id,
    call,
    run: addUsage(usage.run, call),
    total: addUsage(usage.total, call),
    model: reply.done?.model ?? model,
    requestedModel: model,
    stop:
      failure === undefined
        ? (reply.done?.stop ?? 'unknown')
        : failure.code === 'session.aborted'
          ? 'aborted'
          : 'error',
    ...(used !== undefined && { context: { used, ...(window !== undefined && { window }) } }),
  }
}

function callUsage({ reply, failure, estimatedTokens }: Attempt): Usage {
  if (reply.usage !== undefined && Object.keys(reply.usage).length > 0) return reply.usage
  // A refusal that came before any output was not billed.
  if (failure instanceof ProviderError && failure.status !== undefined && reply.length === 0) {
    return { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
  }
  return { inputTokens: estimatedTokens, outputTokens: tokensOfLength(reply.length), estimated: true }
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
