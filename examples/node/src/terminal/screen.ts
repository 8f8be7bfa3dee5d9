import stringWidth from 'string-width'
import { columnAfter } from './columns.ts'

/** What stands below everything that was written, and is drawn anew whenever more is. */
export interface LiveArea {
  /** Each narrower than the terminal. */
  readonly rows: readonly string[]
  /** Where the cursor stands. Default: at the end. */
  readonly cursor?: { readonly row: number; readonly column: number }
}

/** A terminal whose output scrolls, with an area below it that stays. */
export interface Screen {
  readonly columns: number
  readonly rows: number
  write(text: string): void
  /** Shows the area, or takes it away. Elsewhere than on a terminal it shows nothing. */
  live(area: LiveArea | undefined): void
}

export type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'write'> & {
  readonly columns?: number
  readonly rows?: number
}

interface Drawn {
  readonly area: LiveArea
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number }
  /** It stands below a line that is not at its end. */
  readonly isBelowLine: boolean
}

export function createScreen(output: Output): Screen {
  /** The last line so far. */
  let line = ''
  /** Text that ends at the right edge: where the cursor is then, terminals disagree about, so it waits for more. */
  let held = ''
  let area: LiveArea | undefined
  let drawn: Drawn | undefined

  const width = (): number => output.columns ?? 80

  function render(text: string): void {
    const erasing = drawn === undefined ? '' : erased(drawn)
    drawn = undefined
    let written = held + text
    held = ''
    const next = `${line}${written}`.replace(/^.*\n/s, '')
    if (area !== undefined && columnAfter(next, width()) === width()) {
      held = written
      written = ''
    } else line = next
    output.write(erasing + written + (area === undefined ? '' : drawing(area)))
  }

  function erased({ rows, cursor, isBelowLine }: Drawn): string {
    const columns = width()
    // A row that was drawn on a wider terminal takes several rows of a narrower one.
    const above = rows.slice(0, cursor.row).reduce((sum, row) => sum + heightOf(row, columns), 0)
    const up = above + Math.floor(cursor.column / columns) + (isBelowLine ? 1 : 0)
    const home = `\r${up > 0 ? `\x1b[${up}A` : ''}`
    if (!isBelowLine) return `${home}\x1b[J`
    const column = columnAfter(line, columns)
    return `${home}\x1b[1B\x1b[J\x1b[1A${forward(column)}`
  }

  function drawing(shown: LiveArea): string {
    const isBelowLine = line !== ''
    const rows = isBelowLine ? ['', ...shown.rows] : shown.rows
    const last = rows.length - 1
    const row = shown.cursor ? shown.cursor.row + rows.length - shown.rows.length : last
    const cursor = { row, column: shown.cursor?.column ?? stringWidth(rows[last] ?? '') }
    drawn = { area: shown, rows, cursor, isBelowLine }
    const up = last - cursor.row
    return `${isBelowLine ? '\n' : ''}${rows.join('\n')}\r${up > 0 ? `\x1b[${up}A` : ''}${forward(cursor.column)}`
  }

  return {
    get columns() {
      return width()
    },
    get rows() {
      return output.rows ?? 24
    },
    write(text) {
      if (text === '') return
      if (output.isTTY) render(text)
      else output.write(text)
    },
    live(next) {
      if (!output.isTTY || (next === undefined && area === undefined)) return
      const isSame = drawn !== undefined && JSON.stringify(drawn.area) === JSON.stringify(next)
      area = next
      if (!isSame) render('')
    },
  }
}

function forward(columns: number): string {
  return columns > 0 ? `\x1b[${columns}C` : ''
}

function heightOf(row: string, columns: number): number {
  return Math.max(1, Math.ceil(stringWidth(row) / columns))
}
