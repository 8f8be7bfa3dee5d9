import { type Context, Hono } from 'hono'
import { StepwellError } from '../../protocol/errors.ts'
import { accessible, type Principal } from '../server/access.ts'
import { readJson } from '../server/body.ts'
import { notFound, toldError } from '../server/errors.ts'
import {
  allowedOrigins,
  checkOrigin,
  type Env,
  methodNotAllowed,
  requirePrincipal,
  securityHeaders,
} from '../server/guard.ts'
import { RunKeeper } from '../server/run-keeper.ts'
import { createOwn } from '../server/sessions.ts'
import { Connection } from './connection.ts'
import { type RunInput, runInput } from './input.ts'
import { type News, newsOf } from './news.ts'
import { type AGUIHandlerOptions, type HandlerSettings, handlerSettings } from './options.ts'

const DRAIN_MS = 10_000

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

export interface AGUIHandler {
  /** Answers a client's run, whatever the path. It never rejects. */
  fetch(request: Request): Promise<Response>
  /**
   * Refuses new requests, waits up to `drainMs` (default 10,000) for the runs at work here, then lets all clients go.
   * The agent stays open.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>
}

/** Serves an agent's sessions to clients of AG-UI. Throws `config.invalid` when the options cannot work. */
export function createAGUIHandler(options: AGUIHandlerOptions): AGUIHandler {
  const settings = handlerSettings(options)
  const { host, lifeMs, waitUntil } = settings.server
  const keeper = new RunKeeper({ host, waitUntil, handOverMs: waitUntil && lifeMs })
  const open = new Set<Connection>()
  let isClosing = false

  const app = new Hono<Env>()
  const { server } = settings
  app.use(
    '*',
    securityHeaders,
    checkOrigin(server),
    allowedOrigins(server),
    requirePrincipal(server, () => isClosing),
  )
  app.post('*', (c) => answer(c, settings, keeper, open))
  app.all('*', () => {
    throw methodNotAllowed()
  })
  app.onError((thrown, c) => {
    const { status, error } = toldError(thrown, host.runtime.logger)
    return c.json({ error }, status as 500)
  })

  return {
    fetch: async (request) => app.fetch(request),
    async close({ drainMs = DRAIN_MS } = {}) {
      isClosing = true
      if (drainMs > 0) await keeper.idle(drainMs)
      for (const connection of [...open]) connection.letGo()
    },
  }
}

async function answer(
  c: Context<Env>,
  settings: HandlerSettings,
  keeper: RunKeeper,
  open: Set<Connection>,
): Promise<Response> {
  const principal = c.get('principal')
  const { server, maxBodyBytes, onDisconnect, state } = settings
  const { host, heartbeatMs, lifeMs } = server
  const input = runInput(await readJson(c.req.raw, maxBodyBytes))
  await reachable(input, principal, settings)
  const { threadId } = input
  const session = await host.open(threadId, { create: false })
  await session.lookAfter()
  const handle = await server.agent.session(threadId, { create: false })
  const mayWrite = await isWritable(threadId, principal, settings)
  const news = newsOf(input, session.feed.state)
  if (!mayWrite && isAsking(news)) throw notFound(threadId)

  const connection = new Connection({
    host,
    session,
    handle,
    input,
    news,
    by: principal.id,
    mayContinue: mayWrite,
    heartbeatMs,
    onDisconnect,
    state,
    onAsked: () => keeper.keep(session),
  })
  open.add(connection)
  const cancel =
    lifeMs === undefined
      ? () => {}
      : host.runtime.clock.setTimer(() => connection.letGo(), lifeMs, { background: true })
  connection.stream.onClose(() => {
    cancel()
    open.delete(connection)
  })
  void connection.run()
  return new Response(connection.stream.body, { headers: STREAM_HEADERS })
}

/** The session is one the caller may read, or is created: a client names its threads itself. */
async function reachable({ threadId, transcript }: RunInput, principal: Principal, settings: HandlerSettings) {
  const { server } = settings
  const { store } = server.host.runtime
  try {
    return await accessible(threadId, principal, 'read', server)
  } catch (thrown) {
    const isThere = (await store.get(threadId)) !== undefined
    // One that says nothing has nothing to begin with.
    if (!isNotFound(thrown) || isThere || transcript.trailing.length === 0) throw thrown
  }
  return createOwn(threadId, {}, principal, server)
}

async function isWritable(id: string, principal: Principal, { server }: HandlerSettings): Promise<boolean> {
  try {
    await accessible(id, principal, 'write', server)
    return true
  } catch (thrown) {
    if (isNotFound(thrown)) return false
    throw thrown
  }
}

function isAsking({ messages, answers }: News): boolean {
  return messages.length > 0 || answers.length > 0
}

function isNotFound(thrown: unknown): boolean {
  return thrown instanceof StepwellError && thrown.code === 'session.not-found'
}
