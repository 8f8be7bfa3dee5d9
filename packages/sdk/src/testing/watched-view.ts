import type { Schedule } from '../view/frames.ts'
import { cellsOf } from '../view/session-cells.ts'
import type { SessionView } from '../view/session-view.ts'
import type { ViewCell } from '../view/view-cells.ts'

/** Frames that come when the test says so. */
export function manualFrames() {
  const waiting = new Set<() => void>()
  const schedule: Schedule = (publish) => {
    const entry = (): void => publish()
    waiting.add(entry)
    return () => void waiting.delete(entry)
  }
  const frame = (): void => {
    for (const publish of [...waiting]) {
      waiting.delete(publish)
      publish()
    }
  }
  return { schedule, frame, waiting }
}

/** The cells that are told, one after the other. */
export function watched(view: SessionView, ...cells: ViewCell[]): string[] {
  const told: string[] = []
  for (const cell of cells) cellsOf(view).subscribe(cell, () => told.push(cell))
  return told
}

/** What the first part of the reply `m` says. */
export function textOf(view: SessionView): string {
  const part = cellsOf(view).getPart('m', 0)
  return part?.type === 'text' ? part.text : ''
}
