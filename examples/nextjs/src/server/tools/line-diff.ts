export interface LineDiff {
  /** One hunk in unified format. */
  readonly diff: string
  readonly added: number
  readonly removed: number
}

const CONTEXT = 3

/** The lines between the common beginning and the common end of two texts, with some around them. */
export function lineDiff(before: string, after: string): LineDiff {
  const old = lines(before)
  const now = lines(after)
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start++
  let end = 0
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++

  const from = Math.max(0, start - CONTEXT)
  const removed = old.slice(start, old.length - end)
  const added = now.slice(start, now.length - end)
  const leading = old.slice(from, start)
  const trailing = old.slice(old.length - end, old.length - end + CONTEXT)
  const around = leading.length + trailing.length
  const hunk = [
    `@@ -${from + 1},${around + removed.length} +${from + 1},${around + added.length} @@`,
    ...leading.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...trailing.map((line) => ` ${line}`),
  ]
  return { diff: hunk.join('\n'), added: added.length, removed: removed.length }
}

function lines(text: string): string[] {
  return text.replace(/\n$/, '').split('\n')
}
