import type { ToolCallPart, ToolOutcome } from '@stepwell/sdk'
import { answersOf, isObject } from './answers.ts'

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

export interface ToolTitle {
  readonly verb: string
  readonly target?: string
}

const VERBS: Readonly<Record<string, string>> = {
  read_file: 'Read',
  edit_file: 'Edit',
  delete_files: 'Delete',
  search: 'Search',
  run_command: 'Run',
  submit_plan: 'Plan',
  export_report: 'Export the report',
}

/** What a call does, and to what. */
export function toolTitle(part: ToolCallPart): ToolTitle {
  const { toolName, input, result } = part
  if (toolName === 'ask_user') return { verb: answerText(part) }
  if (toolName === 'run_checks') return { verb: `Run the checks${checksText(result?.output)}` }
  const verb = VERBS[toolName] ?? (toolName || 'A tool')
  const target = input?.path ?? input?.command ?? input?.query
  return typeof target === 'string' ? { verb, target } : { verb }
}

function answerText(part: ToolCallPart): string {
  if (part.result === undefined) return 'A question'
  const answers = answersOf(part)
  if (answers === undefined) return 'A question, not answered'
  return answers.length === 0 ? 'You left it open' : `You said: ${answers.flatMap(({ words }) => words).join(', ')}`
}

function checksText(output: unknown): string {
  if (!isObject(output) || output.passed === undefined) return ''
  const failed = Array.isArray(output.failed) ? output.failed.length : 0
  return failed === 0 ? `: ${output.passed} passed` : `: ${output.passed} passed, ${failed} failed`
}
