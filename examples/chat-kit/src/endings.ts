import type { FinishReason } from '@stepwell/sdk'

interface EndingWords {
  readonly title: string
  readonly next: string
  /** What going on is called, where it can help. */
  readonly action?: string
}

/** How a run ended, for people, and what they can do then. Nothing is said of one that simply ended. */
export const ENDINGS: Readonly<Record<Exclude<FinishReason, 'stop'>, EndingWords>> = {
  aborted: {
    title: 'Stopped',
    next: 'What was written is kept. Say what to do instead, or let it go on.',
    action: 'Go on',
  },
  length: { title: 'Cut at the length limit', next: 'The rest can still be written.', action: 'Go on' },
  'max-turns': { title: 'Out of turns', next: 'It took as many steps as it may.', action: 'Allow as many again' },
  stalled: { title: 'Going in circles', next: 'It made the same calls again and again. Say something that helps.' },
  looping: { title: 'It repeated itself', next: 'The reply was cut. Ask again, or for less at once.' },
  blank: { title: 'It said nothing', next: 'It worked, but gave no answer. Ask what it found.', action: 'Ask again' },
  'content-filter': { title: 'The model’s provider refused', next: 'Put it in other words.' },
  compliance: { title: 'A policy refused this', next: 'Put it in other words.' },
  'budget-exceeded': { title: 'The budget is used up', next: 'The next step would have cost more than is left.' },
  interrupted: { title: 'The server went away', next: 'What was done is kept.', action: 'Go on' },
  error: { title: 'Something went wrong', next: 'What was done is kept.', action: 'Try again' },
}
