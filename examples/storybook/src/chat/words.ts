import type { FinishReason, Money, ToolCallPart, ToolOutcome } from '@stepwell/sdk'

/** How a run ended, for people, and what they can do then. Nothing is said of one that simply ended. */
export const ENDINGS: Readonly<
  Record<Exclude<FinishReason, 'stop'>, { readonly title: string; readonly next: string; readonly action?: string }>
> = {
  aborted: { title: 'Stopped', next: 'What was written is kept.', action: 'Go on' },
  length: { title: 'Cut at the length limit', next: 'The rest can still be written.', action: 'Go on' },
  'max-turns': { title: 'Out of turns', next: 'It took as many steps as it may.', action: 'Allow 20 more' },
  stalled: { title: 'Going in circles', next: 'It made the same calls again and again. Say something that helps.' },
  looping: { title: 'It repeated itself', next: 'The reply was cut. Ask again, or for less at once.' },
  blank: { title: 'It said nothing', next: 'It worked, but gave no answer. Ask what it found.', action: 'Ask again' },
  'content-filter': { title: 'The model’s provider refused', next: 'Put it in other words.' },
  compliance: { title: 'A policy refused this', next: 'Put it in other words.' },
  'budget-exceeded': { title: 'The budget is used up', next: 'The next step would have cost more than is left.' },
  interrupted: { title: 'The server went away', next: 'What was done is kept.', action: 'Go on' },
  error: { title: 'Something went wrong', next: 'What was done is kept.', action: 'Try again' },
}

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

const TITLES: Readonly<Record<string, string>> = {
  read_file: 'Read',
  edit_file: 'Edit',
  delete_files: 'Delete',
  search: 'Search',
  run_command: 'Run',
  ask_user: 'Question',
  submit_plan: 'Plan',
  export_report: 'Export the report',
}

/** What a call does, and to what. */
export function toolTitle({ toolName, input }: ToolCallPart): { readonly verb: string; readonly target?: string } {
  const verb = TITLES[toolName] ?? (toolName || 'A tool')
  const target = input?.path ?? input?.command ?? input?.query
  return typeof target === 'string' ? { verb, target } : { verb }
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export function countText(count: number): string {
  return COMPACT.format(count)
}

export function moneyText({ amount, currency }: Money): string {
  const digits = amount !== 0 && amount < 0.1 ? 3 : 2
  return new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: digits }).format(amount)
}

export function durationText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

const UNITS = ['B', 'KB', 'MB', 'GB'] as const

export function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1_000 ** power
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`
}
