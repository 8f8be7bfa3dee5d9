import type { FinishReason } from '@stepwell/sdk'

/** For each way a run can end, what a person can do next. */
export const NEXT_STEPS: Readonly<Record<FinishReason, string>> = {
  stop: '',
  error: 'The run failed. What was done is kept: put right what it says, then “go on”.',
  'max-turns': 'It used up its turns. Say “go on” to give it as many again.',
  length: 'The reply hit the model’s length limit. Say “go on”.',
  'content-filter': 'The provider refused to answer this. Put it differently.',
  compliance: 'A policy of this agent refused it. Put it differently.',
  blank: 'The model worked, but said nothing. Ask it what it found.',
  stalled: 'It repeated the same calls. Tell it what to do differently.',
  looping: 'The reply repeated itself and was cut. Ask again, or for less at once.',
  'budget-exceeded':
    'The next call is not within the budget. Reopen the session with a larger --budget and say “go on”.',
  interrupted: 'The process of this run died. What was done is kept; say “go on”.',
  aborted: 'Stopped. The session is kept: say what to do instead.',
}
