import { errorInfo } from '../protocol/errors.ts'
import type { Message } from '../protocol/messages.ts'
import { type Older, type Sources, windowStart } from './shown.ts'
import type { ViewedSession } from './viewed-session.ts'

/** The last messages of a history, and as many before them as were asked for. */
export class HistoryWindow {
  readonly #session: ViewedSession
  readonly #size: number
  readonly #onChange: () => void
  #start = 0
  /** Asked for, to be shown at the next look. */
  #reveal = 0
  #older: Older = { more: false, isLoading: false }
  #loading: Promise<void> | undefined

  constructor(session: ViewedSession, size: number, onChange: () => void) {
    this.#session = session
    this.#size = size
    this.#onChange = onChange
  }

  look(history: readonly Message[], prev?: Sources): Pick<Sources, 'start' | 'older'> {
    this.#start = Math.max(0, windowStart(history, this.#size, prev) - this.#reveal)
    this.#reveal = 0
    const more = this.#start > 0 || this.#session.hasBefore === true
    if (more !== this.#older.more) this.#older = { ...this.#older, more }
    return { start: this.#start, older: this.#older }
  }

  /** Never rejects: `older` tells what came of it. A second call while one is under way joins it. */
  loadBefore(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #load(): Promise<void> {
    const session = this.#session
    if (this.#start === 0 && session.hasBefore && session.loadBefore !== undefined) {
      const { error: _before, ...older } = this.#older
      this.#older = { ...older, isLoading: true }
      this.#onChange()
      try {
        await session.loadBefore(this.#size)
        this.#older = { ...older, isLoading: false }
      } catch (thrown) {
        this.#older = { ...older, isLoading: false, error: errorInfo(thrown) }
      }
    }
    if (this.#older.error === undefined) this.#reveal = this.#size
    this.#onChange()
  }
}
