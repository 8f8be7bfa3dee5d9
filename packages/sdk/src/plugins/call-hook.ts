import type { Clock } from '../protocol/clock.ts'
import { thrownText } from '../protocol/errors.ts'

/** What came of a hook: what it gave, why it failed, or that nobody waits for it any more. */
export type HookOutcome =
  | { readonly type: 'gave'; readonly value: unknown }
  | { readonly type: 'failed'; readonly why: string }
  | { readonly type: 'stopped' }

export interface HookCall {
  readonly clock: Clock
  /** 0: no limit. */
  readonly timeoutMs: number
  /** Once it is aborted nobody waits: the outcome is `stopped`. */
  readonly stopped?: AbortSignal
}

/**
 * Calls one hook and gives what comes of it, at the latest when its time is over or it is stopped. Never rejects. The
 * hook's signal is aborted then, and what it does later is ignored.
 */
export function callHook(
  hook: (signal: AbortSignal) => unknown,
  { clock, timeoutMs, stopped }: HookCall,
): Promise<HookOutcome> {
  if (stopped?.aborted) return Promise.resolve({ type: 'stopped' })
  return new Promise((resolve) => {
    const own = new AbortController()
    let cancel = (): void => {}
    let leave = (): void => {}

    function settle(outcome: HookOutcome): void {
      cancel()
      leave()
      resolve(outcome)
    }

    function onStopped(): void {
      settle({ type: 'stopped' })
      own.abort(stopped?.reason)
    }

    function onLate(): void {
      settle({ type: 'failed', why: `it took longer than ${timeoutMs} ms` })
      own.abort(new DOMException('The hook ran out of time.', 'TimeoutError'))
    }

    if (timeoutMs > 0) cancel = clock.setTimer(onLate, timeoutMs)
    if (stopped !== undefined) leave = whenAborted(stopped, onStopped)
    new Promise<unknown>((given) => given(hook(own.signal))).then(
      (value) => settle({ type: 'gave', value }),
      (thrown) => settle({ type: 'failed', why: thrownText(thrown) }),
    )
  })
}

const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls that when the signal is aborted; gives what keeps it from that. Hooks of many calls wait at once, and the platform
 * takes a listener for each of them for a leak: they share one.
 */
function whenAborted(signal: AbortSignal, stop: () => void): () => void {
  const known = waiting.get(signal)
  const stops = known ?? new Set()
  if (known === undefined) {
    waiting.set(signal, stops)
    const stopAll = (): void => {
      for (const each of stops) each()
    }
    signal.addEventListener('abort', stopAll, { once: true })
  }
  stops.add(stop)
  return () => void stops.delete(stop)
}
