import type { ToolCallPart, ToolOutcome, ToolResult } from '@stepwell/sdk'

export type CallStatus = ToolOutcome | 'streaming' | 'ready' | 'waiting' | 'running'

export const STATUS_WORDS: Readonly<Record<CallStatus, string>> = {
  streaming: 'Writing…',
  ready: 'About to run',
  waiting: 'Waits for you',
  running: 'Running…',
  ok: 'Done',
  error: 'Failed',
  denied: 'Denied',
  aborted: 'Stopped',
  timeout: 'Took too long',
  unknown: 'Outcome unknown',
  skipped: 'Skipped',
}

export function callStatus({ state, result }: ToolCallPart, isRunning: boolean, isAsked: boolean): CallStatus {
  if (result) return result.outcome
  if (isAsked) return 'waiting'
  if (isRunning) return 'running'
  return state === 'streaming' ? 'streaming' : 'ready'
}

export function toolTitle({ toolName, input, result }: ToolCallPart): string {
  const path = typeof input?.path === 'string' ? input.path : ''
  switch (toolName) {
    case 'read_file':
      return `Read ${path}`
    case 'edit_file':
      return `Edit ${path}`
    case 'run_checks':
      return `Run the checks${checksText(result?.output)}`
    case 'ask_user':
      return answerText(result)
    case '':
      return 'A tool'
    default:
      return toolName
  }
}

function answerText(result: ToolResult | undefined): string {
  if (result === undefined) return 'A question for you'
  const { output } = result
  if (result.outcome !== 'ok' || !isObject(output) || !isObject(output.answers)) return 'A question, not answered'
  const words = Object.values(output.answers).flat().map(String)
  return words.length === 0 ? 'You left it open' : `You said: ${words.join(', ')}`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function checksText(output: unknown): string {
  if (!isObject(output) || output.passed === undefined) return ''
  const failed = Array.isArray(output.failed) ? output.failed.length : 0
  return failed === 0 ? `: ${output.passed} passed` : `: ${output.passed} passed, ${failed} failed`
}
