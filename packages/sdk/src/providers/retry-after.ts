/**
 * How long the endpoint asks to wait, in ms: `retry-after-ms`, else `retry-after` in seconds or as an HTTP date.
 * Undefined where it says nothing usable.
 */
export function retryAfterMs(headers: Headers, now: number = Date.now()): number | undefined {
  const ms = positive(headers.get('retry-after-ms'))
  if (ms !== undefined) return ms
  const value = headers.get('retry-after')
  const seconds = positive(value)
  if (seconds !== undefined) return Math.round(seconds * 1000)
  // A date holds letters: without them Date.parse would take "-5" for a year.
  if (value === null || !/[a-z]{3}/i.test(value)) return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

function positive(value: string | null): number | undefined {
  if (value === null || !/^\s*\d+(\.\d+)?\s*$/.test(value)) return undefined
  return Number(value)
}
