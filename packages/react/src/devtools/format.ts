import { type Money, totalTokens, type Usage } from '@stepwell/sdk'

/** A seq holds its owner's generation in its upper bits: `2.17` is the 17th event of the second owner. */
export function seqText(seq: number): string {
  return `${Math.floor(seq / 2 ** 32)}.${seq % 2 ** 32}`
}

export function durationText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** What is not known is no number. */
export function countText(count: number | undefined): string {
  return count === undefined ? '–' : count.toLocaleString('en')
}

export function tokensText(usage: Usage): string {
  return `${countText(totalTokens(usage))} tokens`
}

export function moneyText({ amount, currency }: Money): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 6 }).format(amount)
}
