import { type ErrorCode, StepwellError } from './errors.ts'

/** Whether an error of this library was thrown, and with that code. */
export function hasCode(thrown: unknown, code: ErrorCode): boolean {
  return thrown instanceof StepwellError && thrown.code === code
}
