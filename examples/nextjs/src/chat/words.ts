import type { FinishReason, Money, Usage } from '@stepwell/sdk'
import { totalTokens } from '@stepwell/sdk'

/** How a run ended, for people, and what they can do then. Nothing is said of one that just ended. */
export const ENDINGS: Readonly<
  Record<Exclude<FinishReason, 'stop'>, { readonly title: string; readonly next: string }>
> = {
  aborted: { title: 'Stopped', next: 'What was written is kept. Say what to do instead, or let it go on.' },
  length: { title: 'Cut at the length limit', next: 'Let it go on to hear the rest.' },
  'max-turns': { title: 'Out of turns', next: 'It took as many steps as it may. Let it go on for as many again.' },
  stalled: {
    title: 'It was going in circles',
    next: 'It made the same calls again and again. Say something that helps.',
  },
  looping: { title: 'It repeated itself', next: 'The reply was cut. Ask again, or for less at once.' },
  blank: { title: 'It said nothing', next: 'It worked, but gave no answer. Ask what it found.' },
  'content-filter': { title: 'The model’s provider refused', next: 'Put it in other words.' },
  compliance: { title: 'A policy refused this', next: 'Put it in other words.' },
  'budget-exceeded': { title: 'The budget is used up', next: 'The next step would have cost more than is left.' },
  interrupted: { title: 'The server went away', next: 'What was done is kept. Let it go on.' },
  error: { title: 'Something went wrong', next: 'What was done is kept. Try again.' },
}

/** The locale is said, so that server and page write the same. */
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export function tokensText(usage: Usage): string {
  return `${COMPACT.format(totalTokens(usage) ?? 0)} tokens`
}

export function countText(count: number): string {
  return COMPACT.format(count)
}

export function moneyText({ amount, currency }: Money): string {
  const digits = amount !== 0 && amount < 0.1 ? 4 : 2
  return new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: digits }).format(amount)
}

export function durationText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** A conversation is called after its first words. */
export function titleOf(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  return line.length > 60 ? `${line.slice(0, 59).trimEnd()}…` : line
}
