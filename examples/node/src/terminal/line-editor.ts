import { createInterface } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import type { KeyPress } from './keyboard.ts'
import { printable } from './printable.ts'

/** Stand for what one row cannot hold. */
const LINE_END = '␤'
const TAB = '␉'

/** One line being edited, with the keys and the history of readline; where it is shown is not its business. */
export interface LineEditor {
  readonly text: string
  /** The line as it is shown. */
  readonly line: string
  /** In UTF-16 units of `line`. */
  readonly cursor: number
  press(key: KeyPress): void
  set(text: string): void
  /** Gives the text, keeps it for the arrow up, and empties the line. */
  take(): string
}

export function lineEditor(): LineEditor {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const readline = createInterface({ input: new PassThrough(), output, terminal: true, prompt: '' })

  const typed = (): string => readline.line.replaceAll(LINE_END, '\n').replaceAll(TAB, '\t')
  function insert(text: string): void {
    const lines = text.replaceAll('\r\n', '\n').replace(/[\r\u2028\u2029]/g, '\n')
    readline.write(printable(lines).replaceAll('\n', LINE_END).replaceAll('\t', TAB))
  }
  function clear(): void {
    readline.write(null, { ctrl: true, name: 'e' })
    readline.write(null, { ctrl: true, name: 'u' })
  }

  return {
    get text() {
      return typed()
    },
    get line() {
      return readline.line
    },
    get cursor() {
      return readline.cursor
    },
    press({ name, text, ctrl, meta }) {
      if (name === 'paste' || (!ctrl && !meta && text.length > 1 && name === '')) return insert(text)
      // These would end the program's hold of the terminal, or this line.
      if (name === 'tab' || name === 'return' || name === 'enter' || name === 'escape') return
      if (ctrl && ['c', 'd', 'l', 'z'].includes(name)) {
        if (name === 'd' && readline.line !== '') readline.write(null, { name: 'delete' })
        return
      }
      readline.write(text === '' ? null : text, { name, ctrl, meta, sequence: text })
    },
    set(text) {
      clear()
      insert(text)
    },
    take() {
      const text = typed()
      readline.write(null, { name: 'return' })
      return text
    },
  }
}
