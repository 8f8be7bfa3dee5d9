import type { Finish, FinishReason } from '@stepwell/sdk'
import { expect } from 'storybook/test'
import { LogWriter } from '../log/log-writer.ts'
import { OUTLINE, TOTAL_FIX } from '../log/texts.ts'
import { type ChatStory, chatMeta } from './chat.tsx'

export default { ...chatMeta, title: 'Endings' }

const CUT = `${OUTLINE.slice(0, OUTLINE.indexOf('## 2'))}`

interface EndingOptions {
  /** What was said until then. */
  readonly reply?: string
  readonly error?: Finish['error']
  readonly breach?: Finish['breach']
  readonly notice?: string
}

/** A run that ended like this, and what it says of it. */
function ending(reason: FinishReason, words: string, options: EndingOptions = {}): ChatStory {
  const { reply = CUT, error, breach, notice } = options
  return {
    args: {
      record() {
        const log = new LogWriter('How the checkout works')
        log.says('Explain the checkout from the button to the receipt.')
        log.turn({ context: { used: 23_400, window: 200_000 } })
        if (reply !== '') log.writes(reply)
        log.ends({ partial: reason === 'aborted' || reason === 'error' })
        if (notice !== undefined) log.notices('provider.refusal', notice)
        log.finishes(reason, { ...(error && { error }), ...(breach && { breach }) })
        return { steps: log.take() }
      },
    },
    async play({ canvas }) {
      if (reason === 'stop') await expect(canvas.queryByRole('region', { name: 'How it ended' })).toBeNull()
      else await expect(await canvas.findByRole('region', { name: 'How it ended' })).toHaveTextContent(words)
    },
  }
}

/** Nothing is said of a run that simply ended. */
export const Stop = ending('stop', '', { reply: TOTAL_FIX })
export const Stopped = ending('aborted', 'Stopped')
export const MaxTurns = ending('max-turns', 'Out of turns')
export const Stalled = ending('stalled', 'Going in circles')
export const Looping = ending('looping', 'It repeated itself', {
  reply: `The order is checked, and ${'then it is checked again, and '.repeat(9)}`,
})
export const ContentFilter = ending('content-filter', 'The model’s provider refused', {
  reply: '',
  notice: 'The request was classified as unsafe.',
})
export const Compliance = ending('compliance', 'A policy refused this', { reply: '' })
export const Length = ending('length', 'Cut at the length limit')
export const Blank = ending('blank', 'It said nothing', { reply: '' })
export const BudgetStop = ending('budget-exceeded', 'The budget is used up', {
  breach: 'cost',
  error: {
    code: 'budget.exceeded',
    message: '$4.98 of $5.00 are spent today, and this call would cost about $0.11.',
    retryable: false,
  },
})
export const Interrupted = ending('interrupted', 'The server went away')
export const Failed = ending('error', 'The account has no credit left.', {
  error: { code: 'provider.quota', message: 'The account has no credit left.', retryable: false },
})
