import type { Logger } from '../../agent/runtime.ts'
import { systemClock, systemIds, systemRandom } from '../../agent/system.ts'
import type { Clock, Ids } from '../../protocol/clock.ts'
import { ConfigError, SessionError, StepwellError } from '../../protocol/errors.ts'
import type { SessionDetails } from '../../protocol/events.ts'
import type { Message } from '../../protocol/messages.ts'
import type { RemoteSession } from '../../protocol/remote-session.ts'
import type { Page, SessionQuery, SessionRow } from '../../stores/store.ts'
import type { Tool } from '../../tools/tool.ts'
import { toolSet } from '../../tools/tool-set.ts'
import { CommandQueue } from './commands.ts'
import { deviceNetwork, type Network } from './environment.ts'
import { Feed, type Snapshot } from './feed.ts'
import { Http } from './http.ts'
import { SessionResource } from './resource.ts'
import { ClientSession } from './session.ts'
import { SharedStreams } from './streams.ts'

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

const HEARTBEAT_MS = 15_000
const RELEASE_MS = 1_000
const SILENT_BEATS = 2.5

/** What all handles of a session share. */
interface Shared {
  readonly feed: Feed
  readonly resource: SessionResource
  readonly commands: CommandQueue
}

/** Throws `config.invalid` for an option that cannot work. */
export function createClient(options: ClientOptions): Client {
  if (typeof options?.url !== 'string' || options.url === '') {
    throw new ConfigError(
      'config.invalid',
      'createClient needs the url of a server, for instance { url: "/api/agent" }.',
    )
  }
  const environment = {
    clock: options.clock ?? systemClock,
    ids: options.ids ?? systemIds,
    random: options.random ?? systemRandom,
    network: options.network ?? deviceNetwork,
  }
  const logger = options.logger ?? { log: () => {} }
  const http = new Http({ url: options.url, headers: options.headers, fetch: options.fetch, environment })
  const source = { http, environment, silenceMs: (options.heartbeatMs ?? HEARTBEAT_MS) * SILENT_BEATS }
  const streams = new SharedStreams({ ...source, releaseMs: options.releaseMs ?? RELEASE_MS })
  // A session that nobody holds and nobody listens to is forgotten.
  const known = new Map<string, WeakRef<Feed>>()
  const forgotten = new FinalizationRegistry<string>((id) => known.get(id)?.deref() ?? known.delete(id))
  const sharedBy = new WeakMap<Feed, Shared>()
  let isClosed = false

  async function create(id: string, details: CreateOptions): Promise<SessionRow> {
    const json = { ...details, id }
    const { session } = (await http.ask({ method: 'POST', path: '/sessions', json })) as unknown as {
      session: SessionRow
    }
    return session
  }

  async function read(resource: SessionResource, id: string, options: ClientSessionOptions): Promise<Snapshot> {
    const { create: isCreated = true, tools: _tools, ...details } = options
    try {
      return await resource.snapshot()
    } catch (thrown) {
      if (!isCreated || !isMissing(thrown)) throw thrown
      await create(id, details)
      return resource.snapshot()
    }
  }

  function shared(id: string, sessionOptions: ClientSessionOptions): Shared {
    if (isClosed) throw closed()
    const feed = known.get(id)?.deref()
    const found = feed && sharedBy.get(feed)
    if (found !== undefined && found.feed.ended === undefined) return found
    return make(id, sessionOptions)
  }

  function make(id: string, sessionOptions: ClientSessionOptions): Shared {
    // What a URL has no room for: the rest is the server's to say.
    if (/^\.{0,2}$/.test(id))
      throw new SessionError('session.invalid-id', 'A session id is a text, but not "." or "..".')
    const resource = new SessionResource(http, id)
    const feed: Feed = new Feed(id, {
      read: () => read(resource, id, feed.isLoaded ? { create: false } : sessionOptions),
      attach: (self) => streams.attach(self),
      logger,
    })
    const made = { feed, resource, commands: new CommandQueue(http, feed) }
    sharedBy.set(feed, made)
    known.set(id, new WeakRef(feed))
    forgotten.register(feed, id)
    return made
  }

  function open(id: string, sessionOptions: ClientSessionOptions = {}): RemoteSession {
    const tools = toolSet(sessionOptions.tools ?? [])
    return new ClientSession({ ...shared(id, sessionOptions), source, tools, logger, open })
  }

  const client: Client = {
    session: open,
    async create({ id = environment.ids('ses'), ...details } = {}) {
      if (isClosed) throw closed()
      await create(id, details)
      const session = open(id, { create: false })
      await session.ready
      return session
    },
    async sessions(query = {}) {
      const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
      return (await http.ask({ method: 'GET', path: `/sessions?${search}` })) as unknown as Page<SessionRow>
    },
    async delete(id) {
      await http.ask({ method: 'DELETE', path: `/sessions/${encodeURIComponent(id)}` }).catch((thrown: unknown) => {
        // Deleted already, perhaps by a request whose answer was lost.
        if (!isMissing(thrown)) throw thrown
      })
      known
        .get(id)
        ?.deref()
        ?.end(new SessionError('session.not-found', `There is no session "${id}".`), 'failed')
      known.delete(id)
    },
    async close() {
      if (isClosed) return
      isClosed = true
      for (const ref of known.values()) ref.deref()?.end(closed(), 'closed')
      known.clear()
      streams.close()
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
  return client
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof StepwellError && thrown.code === 'session.not-found'
}

function closed(): SessionError {
  return new SessionError('session.closed', 'The client was closed.')
}
