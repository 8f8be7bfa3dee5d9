import type { ReactNode } from 'react'
import { scrollable } from './scrollable.ts'

const KINDS: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'hunk', '\\': 'hunk' }

/** A unified diff. */
export function Diff({ text }: { readonly text: string }): ReactNode {
  return (
    <pre className="diff" dir="ltr" {...scrollable}>
      {linesOf(text).map(({ id, line, kind, number }) => (
        <span key={id} className="diff-line" data-kind={kind}>
          <span className="diff-number" aria-hidden="true">
            {number}
          </span>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}

interface Line {
  readonly id: string
  readonly line: string
  readonly kind: string | undefined
  /** In the new file, or for a line that goes in the old one. Absent where the diff does not say. */
  readonly number: number | undefined
}

function linesOf(text: string): Line[] {
  let before = 1
  let after = 1
  let isPlaced = false
  const lines = text.split('\n').map((line): Line => {
    const kind = KINDS[line[0] ?? '']
    const begins = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line)
    if (begins) {
      before = Number(begins[1])
      after = Number(begins[2])
      isPlaced = true
    }
    const id = `${before} ${after} ${kind}`
    if (kind === 'hunk') return { id, line, kind, number: undefined }
    const number = kind === 'removed' ? before : after
    if (kind !== 'added') before++
    if (kind !== 'removed') after++
    return { id, line, kind, number: isPlaced ? number : undefined }
  })
  // Where the first hunk begins is in the numbers.
  return lines[0]?.kind === 'hunk' ? lines.slice(1) : lines
}
