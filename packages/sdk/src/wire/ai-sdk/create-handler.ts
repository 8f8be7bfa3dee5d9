import type { Context } from 'hono'
import { ConfigError, thrownText } from '../../protocol/errors.ts'
import type { Env } from '../server/guard.ts'
import { type AgentServer, guardedServer } from '../server/guarded-server.ts'
import { type AgentServerOptions, settingsOf } from '../server/options.ts'
import { RunKeeper } from '../server/run-keeper.ts'
import { DEFAULT_PATH } from './file-url.ts'
import type { Replies } from './replies.ts'
import type { AIVersion } from './ui-chunk.ts'

export interface AISDKHandlerOptions extends Omit<AgentServerOptions, 'expose'> {
  /** Where pages find it: the `api` of their transport. Default `/api/chat`, which is theirs too. */
  readonly basePath?: string
  /**
   * The major version of `ai` in the pages. From 7 on a reply that is begun again takes the place of what was shown of it,
   * and an answer given elsewhere shows at once. Version 6 knows neither, and breaks off at what it does not know. Default 6.
   */
  readonly aiVersion?: AIVersion
}

/** `fetch` is a handler on web standards that never rejects. */
export type AISDKHandler = AgentServer

/**
 * Serves sessions to pages with an unmodified `useChat` and `DefaultChatTransport`: a chat's id is its session's.
 * Throws `config.invalid` when the options cannot work.
 */
export function createAISDKHandler(options: AISDKHandlerOptions): AISDKHandler {
  const { aiVersion: version = 6, basePath = DEFAULT_PATH } = options
  if (version !== 6 && version !== 7) throw new ConfigError('config.invalid', 'aiVersion has to be 6 or 7.')
  const settings = settingsOf({ ...options, basePath })
  const keeper = new RunKeeper(settings)
  let loading: Promise<Replies> | undefined
  // Who only takes a model of the AI SDK from this subpath needs neither this nor zod.
  const replies = (): Promise<Replies> => {
    loading ??= import('./replies.ts').then(
      ({ Replies }) => new Replies(settings, keeper, version),
      (thrown: unknown) => {
        loading = undefined
        const missing = missingZod(thrown)
        if (missing) settings.host.runtime.logger.log('error', missing.message, { error: thrownText(thrown) })
        throw missing ?? thrown
      },
    )
    return loading
  }
  return guardedServer({
    settings,
    keeper,
    closeStreams: () => void loading?.then((loaded) => loaded.close()).catch(() => {}),
    routes: {
      '/': { POST: async (c) => (await replies()).post(c) },
      '/:id/stream': { GET: async (c) => (await replies()).resume(c, idOf(c)) },
      '/:id/stop': { POST: async (c) => (await replies()).stop(c, idOf(c)) },
      '/:id/messages': { GET: async (c) => (await replies()).messages(c, idOf(c)) },
      '/:id/blobs/:sha256': { GET: async (c) => (await replies()).file(c, idOf(c)) },
    },
  })
}

function idOf(c: Context<Env>): string {
  return c.req.param('id') ?? ''
}

/** What to install, where that is why the routes could not be loaded. */
function missingZod(thrown: unknown): ConfigError | undefined {
  if (!/['"]zod(\/[\w/-]+)?['"]/.test(thrownText(thrown))) return undefined
  const message = 'createAISDKHandler needs the package zod, which cannot be loaded. Run: npm install zod@4'
  return new ConfigError('tool.missing-zod', message, { cause: thrown })
}
