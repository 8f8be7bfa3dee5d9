import { type Context, Hono } from 'hono'
import { WireError } from '../../protocol/errors.ts'
import { PROTOCOL_VERSION } from '../../protocol/events.ts'
import { COMMAND_TYPES } from '../../protocol/wire/commands.ts'
import { download, upload } from './blobs.ts'
import { Channels } from './channels.ts'
import { takeCommand } from './commands.ts'
import { toldError } from './errors.ts'
import { Streams } from './events.ts'
import { allowedOrigins, checkOrigin, type Env, methodNotAllowed, requirePrincipal, securityHeaders } from './guard.ts'
import { openApi } from './openapi.ts'
import { type AgentServerOptions, type ServerSettings, settingsOf } from './options.ts'
import { RunKeeper } from './run-keeper.ts'
import { createSession, deleteSession, forkSession, listSessions, readMessages, readSession } from './sessions.ts'

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

/** Serves an agent's sessions over HTTP. Throws `config.invalid` when the options cannot work. */
export function createAgentServer(options: AgentServerOptions): AgentServer {
  const settings = settingsOf(options)
  const { host, lifeMs, waitUntil } = settings
  const keeper = new RunKeeper({ host, waitUntil, handOverMs: waitUntil && lifeMs })
  const channels = new Channels(host, settings.heartbeatMs)
  const streams = new Streams(settings, channels, keeper)
  const underWay = new Set<Promise<unknown>>()
  let isClosing = false
  const app = routes({ settings, keeper, channels, streams, isClosing: () => isClosing })

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
      if (drainMs > 0) await keeper.idle(drainMs)
      streams.close()
      await Promise.allSettled(underWay)
    },
  }
}

interface Parts {
  readonly settings: ServerSettings
  readonly keeper: RunKeeper
  readonly channels: Channels
  readonly streams: Streams
  isClosing(): boolean
}

type Handler = (c: Context<Env>, id: string) => Response | Promise<Response>

function routes({ settings, keeper, channels, streams, isClosing }: Parts): Hono<Env> {
  const { uploads, expose, host, basePath } = settings
  const capabilities = { protocol: PROTOCOL_VERSION, uploads, expose, commands: COMMAND_TYPES }
  const paths: Readonly<Record<string, Readonly<Partial<Record<'GET' | 'POST' | 'DELETE', Handler>>>>> = {
    '/health': { GET: (c) => c.json({ status: 'ok' }) },
    '/capabilities': { GET: (c) => c.json(capabilities) },
    '/openapi.json': { GET: (c) => c.json(openApi()) },
    '/events': { GET: (c) => streams.several(c) },
    '/sessions': { GET: (c) => listSessions(c, settings), POST: (c) => createSession(c, settings) },
    '/sessions/:id': {
      GET: (c, id) => readSession(c, settings, id),
      DELETE: (c, id) => deleteSession(c, settings, channels, id),
    },
    '/sessions/:id/messages': { GET: (c, id) => readMessages(c, settings, id) },
    '/sessions/:id/commands': { POST: (c, id) => takeCommand(c, settings, keeper, id) },
    '/sessions/:id/fork': { POST: (c, id) => forkSession(c, settings, id) },
    '/sessions/:id/blobs': { POST: (c, id) => upload(c, settings, id) },
    '/sessions/:id/blobs/:sha256': { GET: (c, id) => download(c, settings, id) },
    '/sessions/:id/events': { GET: (c, id) => streams.one(c, id) },
  }

  const app = new Hono<Env>().basePath(basePath)
  app.use('*', securityHeaders, checkOrigin(settings), allowedOrigins(settings), requirePrincipal(settings, isClosing))
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, handle] of Object.entries(methods)) {
      app.on(method, path, (c) => handle(c, c.req.param('id') ?? ''))
    }
    app.all(path, () => {
      throw methodNotAllowed()
    })
  }
  app.notFound(() => {
    throw new WireError('wire.not-found', 'There is nothing at this path.')
  })
  app.onError((thrown, c) => {
    const { status, error } = toldError(thrown, host.runtime.logger)
    return c.json({ error }, status as 500)
  })
  return app
}
