import type { Context } from 'hono'
import type { HostedSession } from '../../agent/host.ts'
import { thrownText } from '../../protocol/errors.ts'
import { hasCode } from '../../protocol/has-code.ts'
import { accessible } from '../server/access.ts'
import { download } from '../server/blobs.ts'
import { checked, readJson } from '../server/body.ts'
import { STREAM_INIT } from '../server/event-stream.ts'
import type { Env } from '../server/guard.ts'
import { MAX_JSON_BYTES } from '../server/limits.ts'
import { OpenStreams } from '../server/open-streams.ts'
import type { ServerSettings } from '../server/options.ts'
import type { RunKeeper } from '../server/run-keeper.ts'
import { createOwn } from '../server/sessions.ts'
import { blobPath, type FileUrl } from './file-url.ts'
import { type Post, postSchema } from './post.ts'
import { type Following, ReplyStream } from './reply-stream.ts'
import { PostTaker } from './take-post.ts'
import { toUIMessages } from './to-ui-messages.ts'
import type { AIVersion } from './ui-chunk.ts'

/** As AI SDK's own responses say it. */
const INIT = { headers: { ...STREAM_INIT.headers, 'x-vercel-ai-ui-message-stream': 'v1' } }

/** What the routes do, and the responses that are being written. */
export class Replies {
  readonly #settings: ServerSettings
  readonly #keeper: RunKeeper
  readonly #version: AIVersion
  readonly #open: OpenStreams

  constructor(settings: ServerSettings, keeper: RunKeeper, version: AIVersion) {
    this.#open = new OpenStreams(settings)
    this.#settings = settings
    this.#keeper = keeper
    this.#version = version
  }

  async post(c: Context<Env>): Promise<Response> {
    const principal = c.get('principal')
    const post = checked(postSchema, await readJson(c.req.raw, MAX_JSON_BYTES)) as unknown as Post
    const session = await this.#openOrCreate(c, post.id)
    const settings = this.#settings
    const taker = new PostTaker({ session, principal, settings, fileUrl: this.#fileUrl(post.id) })
    const following = await taker.take(post)
    return this.#follow(c, session, following)
  }

  /** The whole message that is being written, then what follows. Nobody can tell a foreign session from none. */
  async resume(c: Context<Env>, id: string): Promise<Response> {
    const session = await this.#read(c, id).catch((thrown: unknown) => {
      if (hasCode(thrown, 'session.not-found')) return undefined
      throw thrown
    })
    const state = session?.feed.state
    if (session === undefined || state?.run === undefined) return c.body(null, 204)
    const after = state.history.findLast(({ role }) => role === 'user')?.id
    return this.#follow(c, session, { after, runId: state.run.id, answered: [] })
  }

  /** Also while nothing runs: who stops is late at times. */
  async stop(c: Context<Env>, id: string): Promise<Response> {
    const principal = c.get('principal')
    await accessible(id, principal, 'write', this.#settings)
    const { host } = this.#settings
    const session = await host.open(id, { create: false })
    const { ids, clock } = host.runtime
    await session.submit({ type: 'abort', id: ids('cmd'), at: clock.now(), by: principal.id }, false)
    return c.body(null, 204)
  }

  async messages(c: Context<Env>, id: string): Promise<Response> {
    const session = await this.#read(c, id)
    return c.json({ messages: toUIMessages(session.feed.state, { fileUrl: this.#fileUrl(id) }) })
  }

  file(c: Context<Env>, id: string): Promise<Response> {
    return download(c, this.#settings, id)
  }

  /** Tells all pages to come back. */
  close(): void {
    this.#open.close()
  }

  async #read(c: Context<Env>, id: string): Promise<HostedSession> {
    await accessible(id, c.get('principal'), 'read', this.#settings)
    const session = await this.#settings.host.open(id, { create: false })
    await session.lookAfter()
    return session
  }

  async #openOrCreate(c: Context<Env>, id: string): Promise<HostedSession> {
    const { host } = this.#settings
    const principal = c.get('principal')
    if ((await host.runtime.store.get(id)) === undefined) await createOwn(id, {}, principal, this.#settings)
    else await accessible(id, principal, 'write', this.#settings)
    const session = await host.open(id, { create: false })
    await session.lookAfter()
    return session
  }

  #fileUrl(sessionId: string): FileUrl {
    const path = blobPath(this.#settings.basePath, sessionId)
    return ({ sha256 }) => path + sha256
  }

  #follow(c: Context<Env>, session: HostedSession, following: Following): Response {
    const { clock, ids, logger } = this.#settings.host.runtime
    const { id: by } = c.get('principal')
    const reply = new ReplyStream({
      session,
      following,
      settings: this.#settings,
      version: this.#version,
      fileUrl: this.#fileUrl(session.id),
      promote: (inputId) => {
        const command = { type: 'input-change', id: ids('cmd'), at: clock.now(), by, inputId, lane: 'steer' } as const
        session.submit(command, false).then(
          () => this.#keeper.keep(session),
          (thrown: unknown) => logger.log('error', 'An input could not be taken', { error: thrownText(thrown) }),
        )
      },
    })
    this.#open.add(reply.stream, () => reply.letGo())
    this.#keeper.keep(session)
    return reply.stream.response(c, INIT)
  }
}
