import type { Turn } from './attempt-record.ts'
import { logThrown } from './log-thrown.ts'
import type { RunScope } from './run-scope.ts'

/** Shows who wants to see it what a model is sent. */
export function showRequest({ runtime }: RunScope, { request: { bytes: _bytes, ...request } }: Turn): void {
  try {
    runtime.onRequest?.(request)
  } catch (thrown) {
    logThrown(runtime.logger, 'error', 'onRequest threw')(thrown)
  }
}
