import { type Money, totalTokens, type Usage } from '@stepwell/sdk'

/** The locale is said, so that server and page write the same. */
const LOCALE = 'en'

const COMPACT = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 })

export function countText(count: number): string {
  return COMPACT.format(count)
}

export function tokensText(usage: Usage): string {
  return `${countText(totalTokens(usage) ?? 0)} tokens`
}

/** All its digits, in groups. */
export function wholeText(count: number): string {
  return count.toLocaleString(LOCALE)
}

export function moneyText({ amount, currency }: Money): string {
  const digits = amount !== 0 && amount < 0.1 ? 4 : 2
  return new Intl.NumberFormat(LOCALE, { style: 'currency', currency, maximumFractionDigits: digits }).format(amount)
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
