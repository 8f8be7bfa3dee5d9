import type { Output } from '../terminal/screen.ts'

export interface FakeTerminal extends Output {
  columns: number
  /** Everything on it, with what scrolled away, without blanks at the ends of rows. */
  text(): string
  readonly cursor: { readonly row: number; readonly column: number }
}

const ESCAPE = String.fromCharCode(27)
const SEQUENCE = new RegExp(`${ESCAPE}\\[[?\\d;]*([A-Za-z])|.`, 'gsu')

/** As much of a terminal as our output needs: characters one column wide, wrapping, and moving the cursor about. */
export function fakeTerminal(columns: number): FakeTerminal {
  const rows: string[][] = [[]]
  let row = 0
  let column = 0

  function put(character: string): void {
    if (column >= terminal.columns) newLine()
    const cells = rowAt(row)
    while (cells.length < column) cells.push(' ')
    cells[column++] = character
  }
  function newLine(): void {
    row++
    column = 0
    rowAt(row)
  }
  function rowAt(at: number): string[] {
    while (rows.length <= at) rows.push([])
    return rows[at] as string[]
  }
  function obey(sequence: string, command: string): void {
    const count = Number(/\d+/.exec(sequence)?.[0] ?? 1)
    if (command === 'A') row = Math.max(0, row - count)
    else if (command === 'B') row = Math.min(rows.length - 1, row + count)
    else if (command === 'C') column = Math.min(terminal.columns - 1, column + count)
    else if (command === 'J') {
      rowAt(row).length = Math.min(rowAt(row).length, column)
      rows.length = row + 1
    } else if (command !== 'm') throw new Error(`This terminal does not know ${JSON.stringify(sequence)}`)
  }

  const terminal: FakeTerminal = {
    isTTY: true,
    columns,
    rows: 40,
    write(text: string | Uint8Array) {
      for (const [sequence, command] of String(text).matchAll(SEQUENCE)) {
        if (command !== undefined) obey(sequence, command)
        else if (sequence === '\n') newLine()
        else if (sequence === '\r') column = 0
        else put(sequence)
      }
      return true
    },
    text: () => rows.map((cells) => cells.join('').trimEnd()).join('\n'),
    get cursor() {
      return { row, column }
    },
  }
  return terminal
}
