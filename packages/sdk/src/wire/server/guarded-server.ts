import { type Context, Hono } from 'hono'
import { within } from '../../agent/within.ts'
import { WireError } from '../../protocol/errors.ts'
import { toldError } from './errors.ts'
import { allowedOrigins, checkOrigin, type Env, methodNotAllowed, requirePrincipal } from './guard.ts'
import type { ServerSettings } from './options.ts'
import type { RunKeeper } from './run-keeper.ts'
import { securityHeaders } from './security-headers.ts'

const DRAIN_MS = 10_000

export interface AgentServer {
  /** A handler on web standards. It never rejects. */
  fetch(request: Request): Promise<Response>
  /**
   * Refuses new requests, waits up to `drainMs` (default 10,000) for the runs at work here and for requests under way,
   * then tells all readers to come back. The agent stays open: what still runs is handed over by `agent.close()`.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>
}

/** What answers a method at a path. Any other method there is refused. */
export type Routes = Readonly<
  Record<
    string,
    Readonly<Partial<Record<'GET' | 'POST' | 'DELETE', (c: Context<Env>) => Response | Promise<Response>>>>
  >
>

export interface GuardedServerOptions {
  readonly settings: ServerSettings
  readonly keeper: RunKeeper
  readonly routes: Routes
  /** Tells all readers to come back. */
  closeStreams(): void
}

/** Routes behind the checks that every request passes first, with an answer for whatever goes wrong. */
export function guardedServer({ settings, keeper, routes, closeStreams }: GuardedServerOptions): AgentServer {
  const underWay = new Set<Promise<unknown>>()
  let isClosing = false
  const app = guardedApp(settings, routes, () => isClosing)
  return {
    fetch(request) {
      const answer = Promise.resolve(app.fetch(request))
      underWay.add(answer)
      const done = (): void => void underWay.delete(answer)
      answer.then(done, done)
      return answer
    },
    async close({ drainMs = DRAIN_MS } = {}) {
      isClosing = true
      const drained = async (): Promise<void> => {
        if (drainMs > 0) await keeper.idle(drainMs)
        closeStreams()
        await Promise.allSettled(underWay)
      }
      // A request may never end: an upload that stalls, an `authorize` that hangs.
      await within(settings.host.runtime.clock, drainMs, drained())
      closeStreams()
    },
  }
}

function guardedApp(settings: ServerSettings, routes: Routes, isClosing: () => boolean): Hono<Env> {
  const app = new Hono<Env>().basePath(settings.basePath)
  app.use('*', securityHeaders, checkOrigin(settings), allowedOrigins(settings), requirePrincipal(settings, isClosing))
  for (const [path, methods] of Object.entries(routes)) {
    for (const [method, handle] of Object.entries(methods)) app.on(method, path, handle)
    app.all(path, () => {
      throw methodNotAllowed()
    })
  }
  app.notFound(() => {
    throw new WireError('wire.not-found', 'There is nothing at this path.')
  })
  app.onError((thrown, c) => {
    const { status, error } = toldError(thrown, settings.host.runtime.logger)
    return c.json({ error }, status as 500)
  })
  return app
}
