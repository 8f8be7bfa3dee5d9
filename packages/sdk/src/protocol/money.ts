/** Money always carries its currency (ISO 4217). */
export interface Money {
  readonly amount: number
  readonly currency: string
}

const BILLION = 1_000_000_000

/**
 * Money in billionths of its unit: whole numbers, whose sum does not depend on their order. Exact to 9 million units of
 * a currency, and to 16 digits beyond.
 */
export function toBillionths({ amount }: Money): number {
  return Math.round(amount * BILLION)
}

export function fromBillionths(billionths: number, currency: string): Money {
  return { amount: billionths / BILLION, currency }
}
