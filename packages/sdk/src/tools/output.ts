import type { Clock } from '../protocol/clock.ts'
import type { ToolProgress } from '../protocol/events.ts'
import { normaliseText } from '../protocol/json.ts'
import { ansiStripper } from './ansi.ts'
import { lineFolder } from './line-folder.ts'
import { truncateText } from './truncate.ts'

const WINDOW_MS = 50
const MAX_CHARS = 100_000

export interface OutputPump {
  push(chunk: string, progress?: ToolProgress): void
  /** Emits what is left. Later chunks are ignored. */
  end(): void
}

/**
 * Makes a tool's live output fit to be shown: plain text to be appended, in whole characters, at most once in 50 ms (the
 * first piece at once) and 100,000 UTF-16 units in all. Of several progress reports in a window the last one counts.
 */
export function outputPump(clock: Clock, emit: (text: string, progress?: ToolProgress) => void): OutputPump {
  const strip = ansiStripper()
  const lines = lineFolder(MAX_CHARS)
  /** The first half of a character whose second half is still to come. */
  let half = ''
  let left = MAX_CHARS
  let isCut = false
  let progress: ToolProgress | undefined
  let closeWindow: (() => void) | undefined
  let ended = false

  function take(chunk: string): void {
    if (isCut) return
    const text = half + chunk
    half = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(-1) : ''
    lines.push(strip(half === '' ? text : text.slice(0, -1)))
  }

  function limited(text: string): string {
    if (text.length <= left) {
      left -= text.length
      return text
    }
    isCut = true
    return `${truncateText(text, left)}\n[more output is not shown: over ${MAX_CHARS.toLocaleString('en')} characters]\n`
  }

  function flush(text: string): void {
    const shown = isCut ? '' : limited(normaliseText(text))
    if (shown === '' && progress === undefined) return
    const report = progress
    progress = undefined
    if (report === undefined) emit(shown)
    else emit(shown, report)
  }

  function openWindow(): void {
    closeWindow = clock.setTimer(
      () => {
        closeWindow = undefined
        const text = lines.take()
        if (text === '' && progress === undefined) return
        flush(text)
        openWindow()
      },
      WINDOW_MS,
      { background: true },
    )
  }

  return {
    push(chunk, report) {
      if (ended) return
      take(String(chunk))
      if (report !== undefined) progress = plainProgress(report)
      if (closeWindow !== undefined) return
      flush(lines.take())
      openWindow()
    },
    end() {
      if (ended) return
      ended = true
      closeWindow?.()
      if (half !== '') lines.push(half)
      flush(lines.end())
    },
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** Without what cannot be shown or stored: a total that is not above 0 is an unknown one. */
function plainProgress({ done, total, unit, label }: ToolProgress): ToolProgress {
  return {
    ...(Number.isFinite(done) && { done: done as number }),
    ...(Number.isFinite(total) && (total as number) > 0 && { total: total as number }),
    ...(unit !== undefined && { unit: normaliseText(String(unit)) }),
    ...(label !== undefined && { label: normaliseText(String(label)) }),
  }
}
