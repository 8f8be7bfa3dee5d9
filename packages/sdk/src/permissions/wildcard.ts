/** A text with `*` in it, as the pieces between the stars: one piece means no star. */
export type Wildcard = readonly string[]

/** Reads `*` as a star; `\*` and `\\` stand for themselves. */
export function readWildcard(text: string): Wildcard {
  const pieces: string[] = []
  let piece = ''
  for (let i = 0; i < text.length; i++) {
    const next = text[i + 1]
    if (text[i] === '*') {
      pieces.push(piece)
      piece = ''
    } else piece += text[i] === '\\' && (next === '*' || next === '\\') ? text[++i] : text[i]
  }
  return [...pieces, piece]
}

export function escapeWildcard(text: string): string {
  return text.replace(/[\\*]/g, '\\$&')
}

/** A star stands for any characters, none included. Linear: each piece is taken where it first fits. */
export function matchesWildcard(pieces: Wildcard, text: string): boolean {
  const first = pieces[0] ?? ''
  const last = pieces[pieces.length - 1] ?? ''
  if (pieces.length === 1) return text === first
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return at <= text.length - last.length
}

/** `**`: any number of segments. */
export type SegmentPattern = readonly (Wildcard | '**')[]

export function readSegments(segments: readonly string[]): SegmentPattern {
  return segments.map((segment) => (segment === '**' ? '**' : readWildcard(segment)))
}

/**
 * Whether the segments of a path fit. A `**` at the end stands for at least one segment, so that `reports/**` is not
 * `reports` itself; with `orItself` it may stand for none.
 */
export function matchesSegments(pattern: SegmentPattern, segments: readonly string[], orItself = false): boolean {
  let p = 0
  let s = 0
  /** Where the last `**` stands, and how far it reaches so far. */
  let star: { readonly at: number; reach: number } | undefined
  while (s < segments.length) {
    const part = pattern[p]
    if (part === '**') {
      const least = p === pattern.length - 1 && !orItself ? 1 : 0
      star = { at: p++, reach: s + least }
      s = star.reach
    } else if (part !== undefined && matchesWildcard(part, segments[s] as string)) {
      p++
      s++
    } else if (star !== undefined) {
      p = star.at + 1
      s = ++star.reach
    } else return false
  }
  while (pattern[p] === '**' && (orItself || p < pattern.length - 1)) p++
  return p === pattern.length
}
