import { type AgentEvent, type ErrorInfo, initialState, reduce, type SessionState } from '@stepwell/sdk'
import { errorInfo, type ViewedSession } from '@stepwell/sdk/view'

/** Every event of a session that was read so far. The same object until there are more. */
export interface ReadLog {
  readonly events: readonly AgentEvent[]
  /** Why there will be no more. */
  readonly error?: ErrorInfo
}

/** A state is kept after every so many events, so that no place in the log is far from one. */
const KEPT_EVERY = 256
/** Events come one by one, many times a second: those that listen are told at most so often. Milliseconds. */
const TELL_EVERY_MS = 100

/** Reads the log of a session from its beginning, and goes on with what happens. */
export class EventLog {
  readonly #session: ViewedSession
  readonly #listeners = new Set<() => void>()
  readonly #events: AgentEvent[] = []
  /** The state after `KEPT_EVERY` times the index. */
  readonly #kept: SessionState[]
  #shown: ReadLog = { events: [] }
  #error: ErrorInfo | undefined
  #reading: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(session: ViewedSession) {
    this.#session = session
    this.#kept = [initialState(session.id)]
  }

  readonly getSnapshot = (): ReadLog => this.#shown

  /** Reading begins with the first who listens, and ends with the last. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#reading === undefined) void this.#read()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#reading?.abort()
      this.#reading = undefined
      clearTimeout(this.#timer)
      this.#timer = undefined
    }
  }

  /** The state after the first `count` events: one fold, of what lies behind the nearest state that is kept. */
  stateAfter(count: number): SessionState {
    const nearest = Math.floor(count / KEPT_EVERY)
    while (this.#kept.length <= nearest) {
      const from = (this.#kept.length - 1) * KEPT_EVERY
      this.#kept.push(reduce(this.#keptAt(this.#kept.length - 1), this.#events.slice(from, from + KEPT_EVERY)))
    }
    return reduce(this.#keptAt(nearest), this.#events.slice(nearest * KEPT_EVERY, count))
  }

  #keptAt(index: number): SessionState {
    return this.#kept[index] ?? initialState(this.#session.id)
  }

  async #read(): Promise<void> {
    const reading = new AbortController()
    this.#reading = reading
    this.#error = undefined
    try {
      const after = this.#events.at(-1)?.seq ?? 0
      for await (const event of this.#session.events({ after, signal: reading.signal })) {
        if (reading.signal.aborted) return
        this.#events.push(event)
        this.#tellSoon()
      }
    } catch (thrown) {
      if (reading.signal.aborted) return
      this.#error = errorInfo(thrown)
      this.#tellSoon()
    }
  }

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#shown = { events: this.#events.slice(), ...(this.#error && { error: this.#error }) }
      for (const listener of [...this.#listeners]) listener()
    }, TELL_EVERY_MS)
  }
}
