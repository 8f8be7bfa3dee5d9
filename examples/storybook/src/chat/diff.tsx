import type { ReactNode } from 'react'
import { scrollable } from './scrollable.ts'

const KINDS: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'hunk' }

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
  /** In the new file, or for a line that goes in the old one. */
  readonly number: number | undefined
}

function linesOf(text: string): Line[] {
  let before = 1
  let after = 1
  return text.split('\n').flatMap((line): Line[] => {
    const kind = KINDS[line[0] ?? '']
    const begins = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line)
    const id = `${before} ${after} ${kind}`
    if (begins) {
      before = Number(begins[1])
      after = Number(begins[2])
      // Where the first hunk begins is in the numbers.
      return before === 1 || text.startsWith(line) ? [] : [{ id, line: '⋯', kind, number: undefined }]
    }
    const number = kind === 'removed' ? before : after
    if (kind !== 'added') before++
    if (kind !== 'removed') after++
    return [{ id, line, kind, number }]
  })
}
