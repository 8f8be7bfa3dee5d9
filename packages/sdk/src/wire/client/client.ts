import type { Logger } from '../../agent/runtime.ts'
import { systemClock, systemRandom } from '../../agent/system.ts'
import type { Clock, Ids } from '../../protocol/clock.ts'
import { errorOf, type StepwellError } from '../../protocol/errors.ts'
import type { SessionDetails } from '../../protocol/events.ts'
import { hasCode } from '../../protocol/has-code.ts'
import type { Message } from '../../protocol/messages.ts'
import type { RemoteSession } from '../../protocol/remote-session.ts'
import { systemIds } from '../../protocol/system-ids.ts'
import type { Page, SessionQuery, SessionRow } from '../../stores/store.ts'
import type { Tool } from '../../tools/tool.ts'
import { deviceNetwork, type Network } from './environment.ts'
import { createFeed, type Feed } from './feed.ts'
import { createHttp } from './http.ts'
import { sessionHandle } from './session.ts'
import { sharedStream } from './stream.ts'

export interface ClientOptions {
  /** Where the server is mounted, with or without a slash at the end. A browser takes it relative to the page. */
  readonly url: string
  /** Read for every request, and once more after a 401: put a token that expires here. */
  readonly headers?: () => HeadersInit | Promise<HeadersInit>
  readonly fetch?: typeof fetch
  /** How often the server says that it is there, ms. A stream silent for 2.5 times as long is made again. Default 15,000. */
  readonly heartbeatMs?: number
  /** How long a session stays on the stream when nobody listens any more, ms. Default 1,000. */
  readonly releaseMs?: number
  /** Told of listeners that throw, and of tools that could not answer. */
  readonly logger?: Logger
  readonly clock?: Clock
  readonly ids?: Ids
  /** From 0 to 1. */
  readonly random?: () => number
  readonly network?: Network
}

export interface CreateOptions extends Omit<SessionDetails, 'parent' | 'principal' | 'tenant'> {
  /** What the session begins with: another one's messages, results inside. */
  readonly history?: readonly Message[]
}

export interface ClientSessionOptions extends CreateOptions {
  /** Default true: a session that is not there is created. */
  readonly create?: boolean
  /** Answer the requests of tools that the server declares without `execute`, as long as the handle is open. */
  readonly tools?: readonly Tool[]
}

/** Sessions behind a server. */
export interface Client {
  /**
   * A handle of a session, at once: `state` is empty until `ready`. `ready` rejects with `session.not-found` for one
   * that is another's, and for an unknown one with `{ create: false }`.
   */
  session(id: string, options?: ClientSessionOptions): RemoteSession
  /** A new session. */
  create(options?: CreateOptions & { readonly id?: string }): Promise<RemoteSession>
  /** The caller's, newest first. */
  sessions(query?: Pick<SessionQuery, 'search' | 'archived' | 'limit' | 'cursor'>): Promise<Page<SessionRow>>
  delete(id: string): Promise<void>
  /** Closes the stream and every handle. Sessions and runs go on. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const SILENT_BEATS = 2.5

/** Throws `config.invalid` for an option that cannot work. */
export function createClient(options: ClientOptions): Client {
  if (typeof options?.url !== 'string' || options.url === '') {
    throw errorOf('config.invalid', 'createClient needs a url, like "/api/agent".')
  }
  const { clock = systemClock, ids = systemIds, random = systemRandom, network = deviceNetwork } = options
  const { heartbeatMs = 15_000, releaseMs = 1_000, logger } = options
  const http = createHttp(options, { clock, ids, random, network }, heartbeatMs * SILENT_BEATS)
  // A session that nobody holds and nobody listens to is forgotten.
  const known = new Map<string, WeakRef<Feed>>()
  const forgotten = new FinalizationRegistry<string>((id) => known.get(id)?.deref() ?? known.delete(id))
  const attach = sharedStream(http)
  let isClosed = false

  function feedOf(id: string, create: CreateOptions | undefined): Feed {
    if (isClosed) throw closed()
    let feed = known.get(id)?.deref()
    if (feed?.isOver !== false) {
      // What a URL has no room for: the rest is the server's to say.
      if (/^\.{0,2}$/.test(id)) throw errorOf('session.invalid-id', 'A session id cannot be "", "." or "..".')
      feed = createFeed(id, { http, attach, releaseMs, logger })
      known.set(id, new WeakRef(feed))
      forgotten.register(feed, id)
    }
    feed.create ??= create && (() => http.ask('POST', '/sessions', { ...create, id }))
    return feed
  }

  function open(id: string, { tools = [], create = true, ...details }: ClientSessionOptions = {}): RemoteSession {
    if (new Set(tools.map(({ name }) => name)).size < tools.length) {
      throw errorOf('tool.duplicate-name', 'Two tools share a name.')
    }
    return sessionHandle({ feed: feedOf(id, create ? details : undefined), http, tools, logger, open })
  }

  const client: Client = {
    session: open,
    async create({ id = ids('ses'), ...details } = {}) {
      if (isClosed) throw closed()
      await http.ask('POST', '/sessions', { ...details, id })
      const session = open(id, { create: false })
      await session.ready
      return session
    },
    async sessions(query = {}) {
      // What is undefined is left out, and a text is made of the rest.
      const search = new URLSearchParams(JSON.parse(JSON.stringify(query)))
      return http.ask('GET', `/sessions?${search}`) as Promise<Page<SessionRow>>
    },
    async delete(id) {
      await http.ask('DELETE', `/sessions/${encodeURIComponent(id)}`).catch((thrown: unknown) => {
        // Deleted already, perhaps by a request whose answer was lost.
        if (!hasCode(thrown, 'session.not-found')) throw thrown
      })
      const gone = errorOf('session.not-found', `There is no session "${id}".`)
      known.get(id)?.deref()?.end(gone)
    },
    async close() {
      isClosed = true
      for (const ref of known.values()) ref.deref()?.end(closed(), 'closed')
      known.clear()
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
  return client
}

function closed(): StepwellError {
  return errorOf('session.closed', 'The client was closed.')
}
