export interface LineDiff {
  /** One hunk in unified format; empty when nothing differs. */
  readonly diff: string
  readonly added: number
  readonly removed: number
}

const CONTEXT = 3

/** The lines between the common beginning and the common end of two texts, with some around them. */
export function lineDiff(before: string, after: string): LineDiff {
  if (before === after) return { diff: '', added: 0, removed: 0 }
  const old = lines(before)
  const now = lines(after)
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start++
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++

  const from = Math.max(0, start - CONTEXT)
  const removed = old.slice(start, old.length - end)
  const added = now.slice(start, now.length - end)
  const leading = old.slice(from, start)
  const trailing = old.slice(old.length - end, old.length - end + CONTEXT)
  const around = leading.length + trailing.length
  const hunk = [
    `@@ -${range(from, around + removed.length)} +${range(from, around + added.length)} @@`,
    ...leading.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...trailing.map((line) => ` ${line}`),
  ]
  return { diff: hunk.join('\n'), added: added.length, removed: removed.length }
}

/** Where a hunk lies: an empty one lies after the line before it. */
function range(from: number, count: number): string {
  return `${count === 0 ? from : from + 1},${count}`
}

/** A last line without its end is another line than the same with it. */
function lines(text: string): string[] {
  if (text === '') return []
  const split = text.split('\n')
  const last = split.pop()
  return last === '' ? split : [...split, `${last}\n\\ No newline at end of file`]
}
