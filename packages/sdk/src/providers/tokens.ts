/** A count of tokens as an API reports it: a number, tolerated as text; anything else is unknown. */
export function tokenCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? Math.round(count) : undefined
}
