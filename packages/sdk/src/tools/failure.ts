import { errorInfo, thrownText } from '../protocol/errors.ts'
import { normaliseText } from '../protocol/json.ts'
import { outputText } from '../protocol/text.ts'
import type { Outcome } from './outcome.ts'
import { serialise } from './serialise.ts'

/** What a tool threw after the run was stopped: most often that it obeyed. */
export function stopped(error: unknown): Outcome {
  return { outcome: 'aborted', output: `The run was stopped while this call was running: ${failureText(error)}` }
}

/** What a tool returned and cannot be read. */
export function unreadable(toolName: string, error: unknown): Outcome {
  const output = `Tool "${toolName}" finished, but its result could not be read: ${failureText(error)}`
  return { outcome: 'error', code: 'tool.failed', output }
}

/** Whatever a tool threw. */
export function thrown(toolName: string, error: unknown): Outcome {
  const { code } = errorInfo(error)
  const output =
    error === undefined || error === null
      ? `Tool "${toolName}" failed without saying why.`
      : `Tool "${toolName}" failed: ${failureText(error)}`
  return { outcome: 'error', code: code === 'internal' ? 'tool.failed' : code, output }
}

function failureText(error: unknown): string {
  if (error instanceof Error || typeof error !== 'object') return normaliseText(thrownText(error))
  try {
    return outputText(serialise(error))
  } catch {
    return normaliseText(thrownText(error))
  }
}
