import type { SseFrame } from './frames.ts'

const LINE_END = /\r\n?|\n/

/** Reads server-sent events from text that comes in pieces. Ids, retry times and comments are passed over. */
export class SseReader {
  #line = ''
  #event: string | undefined
  #data: string | undefined
  #begun = false
  /** The last piece ended with a carriage return: a line feed after it ends no other line. */
  #returned = false

  /** Characters of the event that is not complete yet. */
  get held(): number {
    return this.#line.length + (this.#data?.length ?? 0)
  }

  /** The events that this piece completes. */
  push(piece: string): SseFrame[] {
    const frames: SseFrame[] = []
    if (piece === '') return frames
    let text = piece
    if (!this.#begun && text.startsWith('\uFEFF')) text = text.slice(1)
    if (this.#returned && text.startsWith('\n')) text = text.slice(1)
    this.#begun = true
    this.#returned = piece.endsWith('\r')
    const lines = text.split(LINE_END)
    const rest = lines.pop() ?? ''
    for (const line of lines) {
      this.#take(this.#line + line, frames)
      this.#line = ''
    }
    this.#line += rest
    return frames
  }

  /** The event in which the text ended, if any. */
  end(): SseFrame | undefined {
    const [frame] = this.push('\n\n')
    return frame && { ...frame, cut: true }
  }

  #take(line: string, frames: SseFrame[]): void {
    if (line === '') {
      if (this.#data !== undefined) frames.push({ event: this.#event, data: this.#data })
      this.#event = undefined
      this.#data = undefined
      return
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    if (field !== 'data' && field !== 'event') return
    const value = colon === -1 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))
    if (field === 'event') this.#event = value || undefined
    else this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
  }
}
