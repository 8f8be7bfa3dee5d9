import { thrownText } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Logger } from './runtime.ts'

/** What reports a thrown value as text, for a `catch`. */
export function logThrown(logger: Logger, level: 'warn' | 'error', message: string, details?: JsonObject) {
  return (thrown: unknown): void => logger.log(level, message, { ...details, error: thrownText(thrown) })
}
