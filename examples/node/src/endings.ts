import type { FinishReason } from '@stepwell/sdk'

/** A run was stopped by a signal. */
export const EXIT_ABORTED = 130
/** What was asked for cannot be done as it was asked. */
export const EXIT_USAGE = 2

/** For each way a run can end: the exit code of a piped run, and what a person can do next. */
export const ENDINGS: Readonly<Record<FinishReason, { readonly exitCode: number; readonly next: string }>> = {
  stop: { exitCode: 0, next: '' },
  error: { exitCode: 1, next: 'The run failed. What was done is kept: put right what it says, then “go on”.' },
  'max-turns': { exitCode: 3, next: 'It used up its turns. Say “go on” to give it as many again.' },
  length: { exitCode: 4, next: 'The reply hit the model’s length limit. Say “go on”.' },
  'content-filter': { exitCode: 5, next: 'The provider refused to answer this. Put it differently.' },
  compliance: { exitCode: 6, next: 'A policy of this agent refused it. Put it differently.' },
  blank: { exitCode: 7, next: 'The model worked, but said nothing. Ask it what it found.' },
  stalled: { exitCode: 8, next: 'It repeated the same calls. Tell it what to do differently.' },
  looping: { exitCode: 9, next: 'The reply repeated itself and was cut. Ask again, or for less at once.' },
  'budget-exceeded': {
    exitCode: 10,
    next: 'The next call is not within the budget. Reopen the session with a larger --budget and say “go on”.',
  },
  interrupted: { exitCode: 11, next: 'The process of this run died. What was done is kept; say “go on”.' },
  aborted: { exitCode: EXIT_ABORTED, next: 'Stopped. The session is kept: say what to do instead.' },
}
