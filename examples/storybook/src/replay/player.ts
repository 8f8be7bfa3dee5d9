import type { Tape } from './tape.ts'

export const SPEEDS = [0.5, 1, 4] as const

export type Speed = (typeof SPEEDS)[number]

export interface PlayerState {
  readonly isPlaying: boolean
  readonly speed: Speed
  readonly position: number
  readonly length: number
}

/** Plays a tape in its own time, or faster, or slower. */
export class Player {
  state: PlayerState
  readonly #tape: Tape
  /** Where playing again begins: what was said before stays. */
  readonly #start: number
  readonly #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(tape: Tape, start: number) {
    this.#tape = tape
    this.#start = start
    this.state = { isPlaying: false, speed: 1, position: tape.position, length: tape.length }
    tape.subscribe(() => this.#changed({}))
  }

  get start(): number {
    return this.#start
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  play(): void {
    if (this.#tape.waitMs === undefined) this.#tape.seek(this.#start)
    this.#changed({ isPlaying: true })
    this.#next()
  }

  pause(): void {
    clearTimeout(this.#timer)
    this.#changed({ isPlaying: false })
  }

  seek(position: number): void {
    this.pause()
    this.#tape.seek(position)
  }

  setSpeed(speed: Speed): void {
    this.#changed({ speed })
    if (this.state.isPlaying) this.#next()
  }

  #next(): void {
    clearTimeout(this.#timer)
    const { waitMs } = this.#tape
    if (waitMs === undefined) return this.#changed({ isPlaying: false })
    this.#timer = setTimeout(() => {
      this.#tape.advance()
      this.#next()
    }, waitMs / this.state.speed)
  }

  #changed(change: Partial<PlayerState>): void {
    const { position, length } = this.#tape
    this.state = { ...this.state, ...change, position, length }
    for (const listener of [...this.#listeners]) listener()
  }
}
