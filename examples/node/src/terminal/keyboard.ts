import { createInterface, emitKeypressEvents, type Key } from 'node:readline'
import { PassThrough, type Readable } from 'node:stream'

export interface KeyPress {
  /** As Node names keys: `return`, `escape`, `up`, `a`; `enter` is Ctrl-J; `paste` is a whole text. Empty: none. */
  readonly name: string
  /** What it types. */
  readonly text: string
  readonly ctrl: boolean
  /** With Alt. */
  readonly meta: boolean
}

/** How long a lone escape may still become Alt or an arrow, in ms. */
const ESCAPE_MS = 50

/** Takes over the keyboard of a terminal. Returns what gives it back. */
export function listenToKeys(
  input: Readable & { setRawMode(isRaw: boolean): unknown },
  output: { write(text: string): unknown },
  onKey: (key: KeyPress) => void,
): () => void {
  let pasted: string | undefined
  function onKeypress(text: string | undefined, { name = '', ctrl = false, meta = false }: Key): void {
    if (name === 'paste-start') pasted = ''
    else if (name === 'paste-end') {
      onKey({ name: 'paste', text: pasted ?? '', ctrl: false, meta: false })
      pasted = undefined
    } else if (pasted !== undefined) pasted += text ?? ''
    else onKey({ name, text: text ?? '', ctrl, meta: meta && name !== 'escape' })
  }
  const isPasteMarked = (isMarked: boolean): void => void output.write(`\x1b[?2004${isMarked ? 'h' : 'l'}`)
  const leave = (): void => isPasteMarked(false)

  emitKeypressEvents(input, createInterface({ input: new PassThrough(), escapeCodeTimeout: ESCAPE_MS }))
  input.setRawMode(true)
  isPasteMarked(true)
  input.on('keypress', onKeypress)
  input.resume()
  process.on('exit', leave)
  return () => {
    process.off('exit', leave)
    leave()
    input.off('keypress', onKeypress)
    input.pause()
    input.setRawMode(false)
  }
}
