import { errorInfo, errorOf, StepwellError } from '../../protocol/errors.ts'
import type { Connection } from '../../protocol/remote-session.ts'
import { backoffMs, pause } from './environment.ts'
import type { Feed } from './feed.ts'
import type { Http } from './http.ts'

/** What a server takes on one stream. */
const MAX_SESSIONS = 100

/**
 * One connection for all the sessions that anyone listens to; one more for those it has no room for. Gives what puts a
 * session on it, which gives what takes it off again.
 */
export function sharedStream(http: Http): (feed: Feed) => () => void {
  const { environment } = http
  const joined = new Set<Feed>()
  /** With those that are still being read. */
  let size = 0
  let next: ReturnType<typeof sharedStream> | undefined
  /** Cuts the connection, or the wait for the next one. */
  let cut = (): void => {}
  let isRunning = false
  /** Connections that brought nothing, in a row. */
  let failures = 0

  function tell(connection: Connection): void {
    for (const feed of joined) feed.connected(connection)
  }

  /** A session is on the stream once it was read: from there its events are asked for. */
  async function join(feed: Feed, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; !signal.aborted && !feed.cursor; attempt++) {
      feed.connected({ status: 'connecting', attempt })
      try {
        await feed.load()
      } catch (thrown) {
        if (!signal.aborted) await wait([feed], attempt, thrown, signal)
      }
    }
    if (signal.aborted) return
    joined.add(feed)
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
    while (joined.size > 0) await connect()
    isRunning = false
  }

  /** One connection, from its request to the wait before the next one. */
  async function connect(): Promise<void> {
    const connection = new AbortController()
    const { signal } = connection
    cut = () => connection.abort()
    if (failures > 0) tell({ status: 'reconnecting', attempt: failures })
    let waitMs: number | undefined
    let error: unknown
    try {
      waitMs = await read(signal)
    } catch (thrown) {
      error = thrown
    }
    if (!signal.aborted) await wait(joined, ++failures, error, signal, waitMs)
  }

  /** Reads until the connection ends. Gives how long the server wants the next one to wait. */
  async function read(signal: AbortSignal): Promise<number | undefined> {
    const feeds = new Map([...joined].map((feed) => [feed.id, feed]))
    const wanted = [...joined].map(({ id, cursor }) => `s=${encodeURIComponent(id)}:${cursor}`)
    const onOpen = (): void => tell({ status: 'live' })
    for await (const frames of http.frames(`/events?${wanted.join('&')}`, signal, onOpen)) {
      for (const frame of frames) {
        if ('reconnect' in frame) return frame.reconnect
        const feed = feeds.get(frame.session ?? '')
        if (feed === undefined) continue
        if ('gone' in frame) {
          joined.delete(feed)
          feed.end(frame.gone)
        } else if ('resync' in frame) {
          await feed.reload()
        } else if (!feed.receive(frame)) {
          throw errorOf('wire.protocol', 'Events were left out.', { retryable: true })
        }
        failures = 0
      }
    }
    return undefined
  }

  /** Waits until trying again may help: for `ms`, or longer after each failure, or until the device wakes. */
  async function wait(
    feeds: Iterable<Feed>,
    attempt: number,
    error: unknown,
    signal: AbortSignal,
    ms = backoffMs(attempt, environment.random),
  ): Promise<void> {
    const isFinal = error instanceof StepwellError && !error.retryable
    const status = isFinal ? 'failed' : environment.network.isOnline() ? 'reconnecting' : 'offline'
    const connection: Connection = {
      status,
      ...(error !== undefined && { error: errorInfo(error) }),
      ...(!isFinal && { attempt, retryAt: environment.clock.now() + ms }),
    }
    for (const feed of feeds) feed.connected(connection, isFinal ? error : undefined)
    return pause(environment, isFinal ? undefined : ms, signal)
  }

  return (feed) => {
    if (size >= MAX_SESSIONS) {
      next ??= sharedStream(http)
      return next(feed)
    }
    const leaving = new AbortController()
    size++
    void join(feed, leaving.signal)
    return () => {
      size--
      leaving.abort()
      if (joined.delete(feed)) restart()
    }
  }
}
