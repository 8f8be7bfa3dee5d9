import type { BlobRef, Message } from '../../protocol/messages.ts'
import type { ForkOptions } from '../../protocol/session.ts'
import type { SessionRow } from '../../stores/store.ts'
import type { Snapshot } from './feed.ts'
import type { Http } from './http.ts'

/** What is read and written of one session, beside its events and commands. */
export class SessionResource {
  readonly #http: Http
  readonly #path: string

  constructor(http: Http, id: string) {
    this.#http = http
    this.#path = `/sessions/${encodeURIComponent(id)}`
  }

  snapshot(): Promise<Snapshot> {
    return this.#get('')
  }

  /** At most `limit` messages before this one, oldest first. */
  messages(before: string, limit: number): Promise<{ messages: readonly Message[]; before?: string }> {
    return this.#get(`/messages?before=${encodeURIComponent(before)}&limit=${limit}`)
  }

  async fork(options: ForkOptions): Promise<SessionRow> {
    const answer = await this.#http.ask({ method: 'POST', path: `${this.#path}/fork`, json: options })
    return (answer as unknown as { session: SessionRow }).session
  }

  /** Stores bytes with the session. The same bytes give the same ref. */
  async put(body: Uint8Array, mediaType = 'application/octet-stream'): Promise<BlobRef> {
    const answer = await this.#http.ask({ method: 'POST', path: `${this.#path}/blobs`, bytes: { body, mediaType } })
    return (answer as unknown as { blob: BlobRef }).blob
  }

  async get(sha256: string): Promise<Uint8Array> {
    const path = `${this.#path}/blobs/${encodeURIComponent(sha256)}`
    const response = await this.#http.send({ method: 'GET', path, accept: '*/*' })
    return new Uint8Array(await response.arrayBuffer())
  }

  #get<T>(path: string): Promise<T> {
    return this.#http.ask({ method: 'GET', path: this.#path + path }) as unknown as Promise<T>
  }
}
