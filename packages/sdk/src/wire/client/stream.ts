import { errorInfo, SessionError, StepwellError, WireError } from '../../protocol/errors.ts'
import type { Connection } from '../../protocol/remote-session.ts'
import { backoffMs, pause, watchdog } from './environment.ts'
import { typedError } from './errors.ts'
import type { Feed } from './feed.ts'
import { type Frame, streamFrames } from './frames.ts'
import type { LogSource } from './log.ts'

export interface StreamOptions extends LogSource {
  /** How long a session that nobody listens to stays on the stream. */
  readonly releaseMs: number
}

/** What a server takes on one stream. */
const MAX_SESSIONS = 100

/** One connection for all the sessions that anyone listens to. */
export class SharedStream {
  readonly #options: StreamOptions
  /** Sessions that anyone listens to, with what is aborted when nobody does. */
  readonly #wanted = new Map<Feed, AbortController>()
  /** Those of them that are on the stream. */
  readonly #joined = new Set<Feed>()
  readonly #releases = new Map<Feed, () => void>()
  /** Cuts the connection, or the wait for the next one. */
  #cut = (): void => {}
  #isRunning = false
  #isRestarting = false
  /** Connections that brought nothing, in a row. */
  #failures = 0

  constructor(options: StreamOptions) {
    this.#options = options
  }

  /** Whether no further session fits on it. */
  get isFull(): boolean {
    return this.#wanted.size >= MAX_SESSIONS
  }

  has(feed: Feed): boolean {
    return this.#wanted.has(feed)
  }

  /** Gives what is to be called when nobody listens to the session any more. */
  attach(feed: Feed): () => void {
    this.#releases.get(feed)?.()
    this.#releases.delete(feed)
    if (!this.#wanted.has(feed)) {
      const wanted = new AbortController()
      this.#wanted.set(feed, wanted)
      void this.#join(feed, wanted.signal)
    }
    return () => this.#releaseLater(feed)
  }

  close(): void {
    for (const cancel of this.#releases.values()) cancel()
    this.#releases.clear()
    for (const wanted of this.#wanted.values()) wanted.abort()
    this.#wanted.clear()
    this.#joined.clear()
    this.#cut()
  }

  #releaseLater(feed: Feed): void {
    if (!this.#wanted.has(feed)) return
    const release = (): void => {
      this.#releases.delete(feed)
      if (this.#forget(feed)) this.#restart()
      if (feed.ended === undefined) feed.connected({ status: 'connecting' })
    }
    const { clock } = this.#options.environment
    this.#releases.set(feed, clock.setTimer(release, this.#options.releaseMs, { background: true }))
  }

  #leave(feed: Feed, why: StepwellError): void {
    this.#forget(feed)
    feed.end(why, 'failed')
  }

  /** Whether it was on the stream. */
  #forget(feed: Feed): boolean {
    this.#wanted.get(feed)?.abort()
    this.#wanted.delete(feed)
    return this.#joined.delete(feed)
  }

  /** A session is on the stream once it was read: from there its events are asked for. */
  async #join(feed: Feed, signal: AbortSignal): Promise<void> {
    const { environment } = this.#options
    for (let failures = 1; !signal.aborted && !feed.isLoaded; failures++) {
      feed.connected({ status: 'connecting', attempt: failures })
      try {
        await feed.load()
      } catch (thrown) {
        if (isGone(thrown)) return this.#leave(feed, thrown)
        if (isFinal(thrown)) {
          feed.fail(thrown)
          await pause(environment, undefined, signal)
        } else {
          await this.#wait([feed], failures, backoffMs(failures, environment.random), thrown, signal)
        }
      }
    }
    if (signal.aborted) return
    this.#joined.add(feed)
    this.#restart()
  }

  /** The sessions are others now. Those that come together share one connection. */
  #restart(): void {
    if (this.#isRestarting) return
    this.#isRestarting = true
    queueMicrotask(() => {
      this.#isRestarting = false
      if (this.#isRunning) this.#cut()
      else void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#joined.size > 0) await this.#connect()
    this.#isRunning = false
  }

  /** One connection, from its request to the wait before the next one. */
  async #connect(): Promise<void> {
    const { environment, silenceMs } = this.#options
    const { clock, network, random } = environment
    if (this.#failures > 0) this.#tell({ status: 'reconnecting', attempt: this.#failures })
    const connection = new AbortController()
    let isWanted = true
    let isSilent = false
    this.#cut = () => {
      isWanted = false
      connection.abort()
    }
    const onSilence = (): void => {
      isSilent = true
      connection.abort()
    }
    const silence = watchdog(clock, silenceMs, onSilence)
    // Somebody looks at the page again: a heartbeat that is overdue need not be waited for.
    const offWake = network.onWake(() => silence.silentMs() > silenceMs / 2 && onSilence())
    let waitMs: number | undefined
    let error: unknown
    try {
      waitMs = await this.#read(connection.signal, () => silence.seen())
    } catch (thrown) {
      error = isSilent
        ? new WireError('wire.unreachable', 'The connection was silent for too long.', { retryable: true })
        : thrown
    }
    silence.stop()
    offWake()
    connection.abort()
    if (!isWanted) return
    const waiting = new AbortController()
    this.#cut = () => waiting.abort()
    if (isFinal(error)) {
      for (const feed of [...this.#joined]) feed.fail(error)
      return pause(environment, undefined, waiting.signal)
    }
    this.#failures++
    const delay = waitMs ?? (isSilent && this.#failures === 1 ? 0 : backoffMs(this.#failures, random))
    await this.#wait([...this.#joined], this.#failures, delay, error, waiting.signal)
  }

  /** Reads until the connection ends. Gives how long the server wants the next one to wait. */
  async #read(signal: AbortSignal, onBytes: () => void): Promise<number | undefined> {
    const feeds = new Map([...this.#joined].map((feed) => [feed.id, feed]))
    const wanted = [...feeds.values()].map(({ id, cursor }) => `s=${encodeURIComponent(id)}:${cursor}`)
    const { http } = this.#options
    const path = `/events?${wanted.join('&')}`
    const onOpen = (): void => this.#tell({ status: 'live' })
    for await (const frames of streamFrames(http, { path, signal, onOpen, onBytes })) {
      for (const frame of frames) {
        if ('reconnect' in frame) return frame.reconnect
        const feed = feeds.get(frame.session ?? '')
        if (feed !== undefined) await this.#take(feed, frame)
        this.#failures = 0
      }
    }
    return undefined
  }

  #take(feed: Feed, frame: Exclude<Frame, { reconnect: number }>): Promise<void> | undefined {
    if ('gone' in frame) {
      this.#leave(feed, typedError({ ...frame.gone, retryable: false }))
    } else if ('resync' in frame) {
      return feed.reload()
    } else if (!feed.receive(frame)) {
      throw new WireError('wire.protocol', 'Events were left out.', { retryable: true })
    }
    return undefined
  }

  async #wait(feeds: readonly Feed[], attempt: number, ms: number, error: unknown, signal: AbortSignal): Promise<void> {
    const { environment } = this.#options
    const status = environment.network.isOnline() ? 'reconnecting' : 'offline'
    const retryAt = environment.clock.now() + ms
    const why = error === undefined ? {} : { error: errorInfo(error) }
    for (const feed of feeds) feed.connected({ status, attempt, retryAt, ...why })
    if (ms > 0) await pause(environment, ms, signal)
  }

  #tell(connection: Connection): void {
    for (const feed of [...this.#joined]) feed.connected(connection)
  }
}

/** The session is not there, or not the caller's. */
function isGone(thrown: unknown): thrown is SessionError {
  return thrown instanceof SessionError && !thrown.retryable
}

/** Trying again changes nothing. */
function isFinal(thrown: unknown): thrown is StepwellError {
  return thrown instanceof StepwellError && !thrown.retryable
}
