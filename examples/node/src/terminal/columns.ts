import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'

const TAB = 8
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The column the cursor is in after a line that begins in the first one. `columns`: the next character wraps. */
export function columnAfter(line: string, columns: number): number {
  let column = 0
  for (const { segment } of graphemes.segment(stripVTControlCharacters(line))) {
    if (segment === '\t') {
      column = Math.min(columns - 1, (Math.floor(column / TAB) + 1) * TAB)
      continue
    }
    const width = stringWidth(segment)
    column = column + width > columns ? width : column + width
  }
  return column
}

/** As much of a line as is no wider than `columns`. */
export function fitted(line: string, columns: number): string {
  if (stringWidth(line) <= columns) return line
  return `${head(line, columns - 1)}…`
}

/** A text in rows no wider than `columns`, broken at blanks where there are any. */
export function wrapped(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => {
    const rows: string[] = []
    let rest = line
    while (stringWidth(rest) > columns) {
      const row = head(rest, columns)
      const blank = row.lastIndexOf(' ')
      const isBroken = blank > columns / 2
      rows.push(isBroken ? row.slice(0, blank) : row)
      rest = rest.slice(isBroken ? blank + 1 : Math.max(1, row.length))
    }
    return [...rows, rest]
  })
}

export interface Stretch {
  readonly text: string
  /** Where the cursor is in it. */
  readonly column: number
}

/** The stretch of a line around its cursor that is no wider than `columns`. `cursor` in UTF-16 units. */
export function stretch(line: string, cursor: number, columns: number): Stretch {
  const before = line.slice(0, cursor)
  const after = line.slice(cursor)
  if (stringWidth(before) < columns) return { text: fitted(before + after, columns), column: stringWidth(before) }
  const shown = `…${tail(before, columns - 2)}`
  return { text: shown + head(after, columns - stringWidth(shown)), column: stringWidth(shown) }
}

function head(line: string, columns: number): string {
  let text = ''
  let width = 0
  for (const { segment } of graphemes.segment(line)) {
    width += stringWidth(segment)
    if (width > columns) break
    text += segment
  }
  return text
}

function tail(line: string, columns: number): string {
  const segments = [...graphemes.segment(line)].map(({ segment }) => segment)
  let width = 0
  let start = segments.length
  while (start > 0) {
    width += stringWidth(segments[start - 1] ?? '')
    if (width > columns) break
    start--
  }
  return segments.slice(start).join('')
}
