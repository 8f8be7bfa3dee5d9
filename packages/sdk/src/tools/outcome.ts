import type { JsonValue } from '../protocol/json.ts'
import type { ToolOutcome } from '../protocol/messages.ts'
import type { ImagePart } from './content.ts'
import type { Tool } from './tool.ts'

/** What came of a call, before it is stored. */
export interface Outcome {
  readonly outcome: ToolOutcome
  readonly output: JsonValue
  readonly code?: string
  readonly images?: readonly ImagePart[]
}

export const NEVER_STARTED: Outcome = {
  outcome: 'aborted',
  output: 'Not started: the run was stopped before. Nothing was done.',
}

export const ABANDONED: Outcome = {
  outcome: 'aborted',
  output: 'The run was stopped and this call was abandoned: its outcome is unknown. Check before you repeat it.',
}

export function timedOut(tool: Tool): Outcome {
  const output = `Tool "${tool.name}" did not answer within ${tool.timeoutMs / 1000} s and was abandoned: its outcome is unknown. Check before you repeat it.`
  return { outcome: 'timeout', code: 'tool.timeout', output }
}
