import { fitted, stretch, wrapped } from './columns.ts'
import type { LineEditor } from './line-editor.ts'
import { printable } from './printable.ts'
import type { LiveArea, Screen } from './screen.ts'
import type { Style } from './style.ts'

/** What a person sees and may type below the output. */
export interface Panel {
  readonly rows: readonly Row[]
  /** The line they type in. */
  readonly field?: { readonly label: string; readonly editor: LineEditor }
}

export interface Row {
  readonly text: string
  readonly style?: Parameters<Style>[0]
  /** Cut where the terminal ends, rather than broken into several rows. */
  readonly isCut?: true
}

/** The panel on a terminal of this size. Where it is too high, its beginning is left out. */
export function panelArea({ rows, field }: Panel, size: Pick<Screen, 'columns' | 'rows'>, style: Style): LiveArea {
  // The last column stays free: what is written there wraps on some terminals.
  const width = Math.max(10, size.columns - 1)
  const all = rows.flatMap(({ text, style: kind, isCut }) => {
    const plain = printable(text).replaceAll('\t', ' ')
    const broken = isCut ? [fitted(plain, width)] : wrapped(plain, width)
    return kind === undefined ? broken : broken.map((row) => style(kind, row))
  })
  const shown = all.slice(-Math.max(1, size.rows - 3))
  if (field === undefined) return { rows: shown }
  const { label, editor } = field
  const { text, column } = stretch(editor.line, editor.cursor, width - label.length)
  return {
    rows: [...shown, style('bold', label) + text],
    cursor: { row: shown.length, column: label.length + column },
  }
}
