import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { WireError } from '../../protocol/errors.ts'
import { authorized, type Principal } from './access.ts'
import { closing } from './errors.ts'
import type { ServerSettings } from './options.ts'

export interface Env {
  Variables: { principal: Principal; hasSecurityHeaders?: true }
}

/** Answers the questions of browsers about the origins that are allowed. Others get no answer they could use. */
export function allowedOrigins({ cors: allowed }: ServerSettings): MiddlewareHandler<Env> {
  if (allowed === undefined) return (_c, next) => next()
  const answer = cors({
    origin: [...allowed.origins],
    credentials: allowed.credentials,
    allowMethods: ['GET', 'POST', 'DELETE'],
    maxAge: 600,
  })
  return (c, next) => (c.req.header('origin') === undefined ? next() : answer(c, next))
}

/**
 * Browsers name the page that asks. One of another host is refused, with or without cookies: also a server that trusts
 * its network would else do what any page says.
 */
export function checkOrigin({ cors: allowed }: ServerSettings): MiddlewareHandler<Env> {
  return async (c, next) => {
    const origin = c.req.header('origin')
    if (origin !== undefined && !allowed?.origins.includes(origin) && !isOwnHost(origin, c.req.raw)) {
      throw new WireError('wire.origin', 'Pages of this origin may not ask. List it in cors.origins if they should.')
    }
    await next()
  }
}

/** Compared without the scheme: a proxy that speaks TLS passes plain HTTP on. */
function isOwnHost(origin: string, request: Request): boolean {
  if (!URL.canParse(origin)) return false
  const { host } = new URL(origin)
  return host === new URL(request.url).host || host === request.headers.get('host')?.toLowerCase()
}

export function requirePrincipal(settings: ServerSettings, isClosing: () => boolean): MiddlewareHandler<Env> {
  return async (c, next) => {
    c.set('principal', await authorized(c.req.raw, settings))
    if (isClosing()) throw closing()
    // Hono answers HEAD as it would GET, and a stream would never end.
    if (c.req.raw.method === 'HEAD') throw methodNotAllowed()
    await next()
  }
}

export function methodNotAllowed(): WireError {
  return new WireError('wire.method-not-allowed', 'This path does not know this method.')
}
