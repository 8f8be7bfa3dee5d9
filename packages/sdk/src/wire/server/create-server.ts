import type { Context } from 'hono'
import { PROTOCOL_VERSION } from '../../protocol/events.ts'
import { COMMAND_TYPES } from '../../protocol/wire/commands.ts'
import { download, upload } from './blobs.ts'
import { Channels } from './channels.ts'
import { takeCommand } from './commands.ts'
import { Streams } from './events.ts'
import type { Env } from './guard.ts'
import { type AgentServer, guardedServer, type Routes } from './guarded-server.ts'
import { openApi } from './openapi.ts'
import { type AgentServerOptions, type ServerSettings, settingsOf } from './options.ts'
import { RunKeeper } from './run-keeper.ts'
import { createSession, deleteSession, forkSession, listSessions, readMessages, readSession } from './sessions.ts'

/** Serves an agent's sessions over HTTP. Throws `config.invalid` when the options cannot work. */
export function createAgentServer(options: AgentServerOptions): AgentServer {
  const settings = settingsOf(options)
  const keeper = new RunKeeper(settings)
  const channels = new Channels(settings.host, settings.heartbeatMs)
  const streams = new Streams(settings, channels, keeper)
  return guardedServer({
    settings,
    keeper,
    routes: routes({ settings, keeper, channels, streams }),
    closeStreams: () => streams.close(),
  })
}

interface Parts {
  readonly settings: ServerSettings
  readonly keeper: RunKeeper
  readonly channels: Channels
  readonly streams: Streams
}

function routes({ settings, keeper, channels, streams }: Parts): Routes {
  const { uploads, expose } = settings
  const capabilities = { protocol: PROTOCOL_VERSION, uploads, expose, commands: COMMAND_TYPES }
  const ofSession = (handle: (c: Context<Env>, id: string) => Response | Promise<Response>) => (c: Context<Env>) =>
    handle(c, c.req.param('id') ?? '')
  return {
    '/health': { GET: (c) => c.json({ status: 'ok' }) },
    '/capabilities': { GET: (c) => c.json(capabilities) },
    '/openapi.json': { GET: (c) => c.json(openApi()) },
    '/events': { GET: (c) => streams.several(c) },
    '/sessions': { GET: (c) => listSessions(c, settings), POST: (c) => createSession(c, settings) },
    '/sessions/:id': {
      GET: ofSession((c, id) => readSession(c, settings, id)),
      DELETE: ofSession((c, id) => deleteSession(c, settings, channels, id)),
    },
    '/sessions/:id/messages': { GET: ofSession((c, id) => readMessages(c, settings, id)) },
    '/sessions/:id/commands': { POST: ofSession((c, id) => takeCommand(c, settings, keeper, id)) },
    '/sessions/:id/fork': { POST: ofSession((c, id) => forkSession(c, settings, id)) },
    '/sessions/:id/blobs': { POST: ofSession((c, id) => upload(c, settings, id)) },
    '/sessions/:id/blobs/:sha256': { GET: ofSession((c, id) => download(c, settings, id)) },
    '/sessions/:id/events': { GET: ofSession((c, id) => streams.one(c, id)) },
  }
}
