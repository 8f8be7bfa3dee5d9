import type { MiddlewareHandler } from 'hono'
import type { Env } from './guard.ts'

/** Nothing here is a page: no browser shows it, runs it, frames it or keeps it. */
export const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
} as const

/**
 * Whoever answers at length brings them and says so: who looks at the headers of a response has them copied, and the copy
 * is kept as long as the response is under way.
 */
export const securityHeaders: MiddlewareHandler<Env> = async (c, next) => {
  await next()
  if (c.get('hasSecurityHeaders')) return
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    if (!c.res.headers.has(name)) c.res.headers.set(name, value)
  }
}
