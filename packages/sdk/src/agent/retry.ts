import { ProviderError, type StepwellError } from '../protocol/errors.ts'
import type { RunScope } from './run-scope.ts'

/** Jitter goes upwards only: never earlier than the provider asked for. */
const JITTER = 0.25
/** `Retry-After: 0` means now, but not in a busy loop. */
const MIN_DELAY_MS = 10

/** How long to wait before the next attempt of the turn; undefined when there is none. */
export function retryDelay(run: RunScope, failure: StepwellError, tried: number): number | undefined {
  const { max, baseMs, maxDelayMs } = run.runtime.retries
  if (!failure.retryable || tried >= max || run.signal.aborted) return undefined
  const asked = failure instanceof ProviderError ? failure.retryAfterMs : undefined
  if (asked !== undefined && asked > maxDelayMs) return undefined
  const delay = asked ?? Math.min(baseMs * 2 ** tried, maxDelayMs)
  return Math.max(MIN_DELAY_MS, Math.ceil(delay * (1 + JITTER * run.runtime.random())))
}

/** Tells everyone about the wait, then waits. Stopping the run ends it at once. */
export async function waitToRetry(
  run: RunScope,
  { attempt, delayMs, error }: { attempt: number; delayMs: number; error: StepwellError },
): Promise<void> {
  const until = run.clock.now() + delayMs
  run.sequence([
    { type: 'activity', runId: run.id, activity: { kind: 'retrying', attempt, delayMs, until, error: error.toJSON() } },
  ])
  await new Promise<void>((resolve) => {
    const done = (): void => {
      cancel()
      run.signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = run.clock.setTimer(done, delayMs)
    run.signal.addEventListener('abort', done)
    if (run.signal.aborted) done()
  })
  run.sequence([{ type: 'activity', runId: run.id }])
}
