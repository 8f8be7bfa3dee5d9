import type { Clock } from '../protocol/clock.ts'

/** Calls `publish` once, soon or at once. Returns its cancellation, which may be called at any time. */
export type Schedule = (publish: () => void) => () => void

/** At once, inside the call that brought the news: on a server, in a terminal, in tests. */
export const syncSchedule: Schedule = (publish) => {
  publish()
  return () => {}
}

export interface Frames {
  request(callback: () => void): number
  cancel(handle: number): void
}

/** A hidden tab gets no frames: how long one is waited for. */
const FRAME_WAIT_MS = 100

/** With the next frame, or by a timer where none comes. */
export function frameSchedule(frames: Frames, setTimer: Clock['setTimer']): Schedule {
  return (publish) => {
    const cancel = (): void => {
      frames.cancel(frame)
      cancelTimer()
    }
    const first = (): void => {
      cancel()
      publish()
    }
    const frame = frames.request(first)
    const cancelTimer = setTimer(first, FRAME_WAIT_MS, { background: true })
    return cancel
  }
}
