import { errorInfo, SessionError, StepwellError, WireError } from '../../protocol/errors.ts'
import type { Connection } from '../../protocol/remote-session.ts'
import { backoffMs, pause } from './environment.ts'
import type { Feed } from './feed.ts'
import type { Http } from './http.ts'

/** What a server takes on one stream. */
const MAX_SESSIONS = 100

/** A session that somebody listens to, or did a moment ago. */
interface Place {
  /** Aborted when nobody listens any more. */
  readonly leave: AbortController
  /** It was read: from there its events are asked for. */
  isJoined: boolean
  /** Ends the wait for somebody who listens again. */
  stay(): void
}

/** One connection for all the sessions that anyone listens to. */
export interface SharedStream {
  readonly isFull: boolean
  has(feed: Feed): boolean
  /** Gives what is to be called when nobody listens to the session any more. It stays on the stream for a while. */
  attach(feed: Feed): () => void
  close(): void
}

/** `releaseMs`: how long a session that nobody listens to stays. */
export function sharedStream(http: Http, releaseMs: number): SharedStream {
  const { environment } = http
  const { clock, network, random } = environment
  const places = new Map<Feed, Place>()
  /** Cuts the connection, or the wait for the next one. */
  let cut = (): void => {}
  let isRunning = false
  /** Connections that brought nothing, in a row. */
  let failures = 0

  function joined(): Feed[] {
    return [...places.keys()].filter((feed) => places.get(feed)?.isJoined)
  }

  function tell(feeds: readonly Feed[], connection: Connection): void {
    for (const feed of feeds) feed.connected(connection)
  }

  function leave(feed: Feed): void {
    places.get(feed)?.leave.abort()
    places.delete(feed)
  }

  /** It is not there, or not the caller's. */
  function lose(feed: Feed, why: StepwellError): void {
    leave(feed)
    feed.end(why, 'failed')
  }

  async function join(feed: Feed, place: Place): Promise<void> {
    const { signal } = place.leave
    for (let attempt = 1; !signal.aborted && !feed.isLoaded; attempt++) {
      feed.connected({ status: 'connecting', attempt })
      try {
        await feed.load()
      } catch (thrown) {
        if (thrown instanceof SessionError && !thrown.retryable) return lose(feed, thrown)
        await wait([feed], attempt, thrown, signal)
      }
    }
    if (signal.aborted) return
    place.isJoined = true
    restart()
  }

  /** The sessions are others now. */
  function restart(): void {
    cut()
    if (!isRunning) void run()
  }

  async function run(): Promise<void> {
    isRunning = true
    // Those that come together share one connection.
    await undefined
    while (joined().length > 0) await connect()
    isRunning = false
  }

  /** One connection, from its request to the wait before the next one. */
  async function connect(): Promise<void> {
    const connection = new AbortController()
    const { signal } = connection
    cut = () => connection.abort()
    if (failures > 0) tell(joined(), { status: 'reconnecting', attempt: failures })
    let waitMs: number | undefined
    let error: unknown
    try {
      waitMs = await read(signal)
    } catch (thrown) {
      error = thrown
    }
    if (!signal.aborted) await wait(joined(), ++failures, error, signal, waitMs)
  }

  /** Reads until the connection ends. Gives how long the server wants the next one to wait. */
  async function read(signal: AbortSignal): Promise<number | undefined> {
    const feeds = new Map(joined().map((feed) => [feed.id, feed]))
    const wanted = [...feeds.values()].map(({ id, cursor }) => `s=${encodeURIComponent(id)}:${cursor}`)
    const onOpen = (): void => tell(joined(), { status: 'live' })
    for await (const frames of http.frames(`/events?${wanted.join('&')}`, signal, onOpen)) {
      for (const frame of frames) {
        if ('reconnect' in frame) return frame.reconnect
        const feed = feeds.get(frame.session ?? '')
        if (feed === undefined) continue
        if ('gone' in frame) lose(feed, frame.gone)
        else if ('resync' in frame) await feed.reload()
        else if (!feed.receive(frame)) {
          throw new WireError('wire.protocol', 'Events were left out.', { retryable: true })
        }
        failures = 0
      }
    }
    return undefined
  }

  /** Waits until trying again may help: for `ms`, or longer after each failure, or until the device wakes. */
  async function wait(
    feeds: readonly Feed[],
    attempt: number,
    error: unknown,
    signal: AbortSignal,
    ms = backoffMs(attempt, random),
  ): Promise<void> {
    if (error instanceof StepwellError && !error.retryable) {
      for (const feed of feeds) feed.fail(error)
      return pause(environment, undefined, signal)
    }
    const status = network.isOnline() ? 'reconnecting' : 'offline'
    const why = error !== undefined && { error: errorInfo(error) }
    tell(feeds, { status, attempt, retryAt: clock.now() + ms, ...why })
    if (ms > 0) await pause(environment, ms, signal)
  }

  return {
    get isFull() {
      return places.size >= MAX_SESSIONS
    },
    has: (feed) => places.has(feed),
    attach(feed) {
      const place = places.get(feed) ?? { leave: new AbortController(), isJoined: false, stay: () => {} }
      place.stay()
      if (!places.has(feed)) {
        places.set(feed, place)
        void join(feed, place)
      }
      return () => {
        if (places.get(feed) !== place) return
        const release = (): void => {
          leave(feed)
          if (place.isJoined) restart()
          if (feed.ended === undefined) feed.connected({ status: 'connecting' })
        }
        place.stay = clock.setTimer(release, releaseMs, { background: true })
      }
    },
    close() {
      for (const [feed, { stay }] of places) {
        stay()
        leave(feed)
      }
      cut()
    },
  }
}
