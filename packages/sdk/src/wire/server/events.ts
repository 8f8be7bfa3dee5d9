import type { Context } from 'hono'
import { accessible } from './access.ts'
import type { Channels } from './channels.ts'
import { badRequest, toldError } from './errors.ts'
import { EventStream } from './event-stream.ts'
import { messageFrame } from './frame.ts'
import type { Env } from './guard.ts'
import { letGo } from './let-go.ts'
import { MAX_STREAM_SESSIONS } from './limits.ts'
import { OpenStreams } from './open-streams.ts'
import type { ServerSettings } from './options.ts'
import { seqOf } from './query.ts'
import type { RunKeeper } from './run-keeper.ts'

/** The streams that are open. */
export class Streams {
  readonly #open: OpenStreams
  readonly #settings: ServerSettings
  readonly #channels: Channels
  readonly #keeper: RunKeeper

  constructor(settings: ServerSettings, channels: Channels, keeper: RunKeeper) {
    this.#open = new OpenStreams(settings)
    this.#settings = settings
    this.#channels = channels
    this.#keeper = keeper
  }

  /** One session, from the `Last-Event-ID` of a browser that comes back, or from `after`. */
  async one(c: Context<Env>, id: string): Promise<Response> {
    await accessible(id, c.get('principal'), 'read', this.#settings)
    const lastId = c.req.header('last-event-id')
    const after = lastId === undefined ? seqOf('after', c.req.query('after') ?? '0') : seqOf('Last-Event-ID', lastId)
    const stream = this.#stream()
    try {
      await this.#join(id, after, stream, 'one')
    } catch (thrown) {
      stream.close()
      throw thrown
    }
    return stream.response(c)
  }

  /** Several sessions, each from where its reader is. One that cannot be read does not keep the others. */
  async several(c: Context<Env>): Promise<Response> {
    const asked = new Map((c.req.queries('s') ?? []).map(readerOf))
    if (asked.size === 0 || asked.size > MAX_STREAM_SESSIONS) {
      throw badRequest(`A stream has 1 to ${MAX_STREAM_SESSIONS} sessions: ?s=<id>:<after>&s=<id>:<after>.`)
    }
    const stream = this.#stream()
    const principal = c.get('principal')
    const joining = [...asked].map(async ([id, after]) => {
      try {
        await accessible(id, principal, 'read', this.#settings)
        await this.#join(id, after, stream, 'several')
      } catch (thrown) {
        const { status, error } = toldError(thrown, this.#settings.host.runtime.logger)
        if (status >= 500) return this.#letGo(stream)
        stream.write(messageFrame({ gone: { code: error.code, message: error.message } }, id))
      }
    })
    // The first bytes need not wait for the slowest session.
    void Promise.all(joining)
    return stream.response(c)
  }

  /** Tells all readers to come back, and ends. */
  close(): void {
    this.#open.close()
  }

  async #join(id: string, after: number, stream: EventStream, kind: 'one' | 'several'): Promise<void> {
    await this.#channels.join(id, { stream, kind, after })
    this.#keeper.keep(await this.#settings.host.open(id, { create: false }))
  }

  /** A host that loses its client cancels the body. The request's signal would say so too, for five times the memory. */
  #stream(): EventStream {
    const stream = new EventStream()
    this.#open.add(stream, this.#letGo)
    return stream
  }

  readonly #letGo = (stream: EventStream): void => letGo(stream, this.#settings.host.runtime)
}

/** `<id>:<after>`; ids may have colons of their own. */
function readerOf(text: string): [string, number] {
  const colon = text.lastIndexOf(':')
  if (colon < 1) throw badRequest('s is <id>:<after>.')
  return [text.slice(0, colon), seqOf('after', text.slice(colon + 1))]
}
