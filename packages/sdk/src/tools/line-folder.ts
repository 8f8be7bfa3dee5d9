/**
 * Turns the lines that a terminal would rewrite (progress bars: `10%\r20%\r`) into text that can only be appended to:
 * of such a line only the last version is kept, and given when the line is over. All other text is given at once.
 */
export interface LineFolder {
  push(text: string): void
  /** What can be shown now, each piece once. */
  take(): string
  /** The rest. */
  end(): string
}

/** `maxLine`: UTF-16 units kept of a line that is being rewritten. */
export function lineFolder(maxLine: number): LineFolder {
  let ready = ''
  /** The last version of a line that is being rewritten; undefined while the line is a plain one. */
  let version: string | undefined
  /** A `\r` was read: whatever comes next replaces the version, except a `\n`. */
  let returned = false
  /** Part of the present line was given already and cannot be taken back. */
  let begun = false

  function text(piece: string): void {
    if (returned) {
      // What was not given yet can still be replaced.
      if (version === undefined && !begun) ready = ready.slice(0, ready.lastIndexOf('\n') + 1)
      version = ''
      returned = false
    }
    if (version === undefined) ready += piece
    else if (version.length < maxLine) version += piece
  }

  function endLine(newline: string): void {
    if (version !== undefined) ready += begun ? `\n${version}` : version
    ready += newline
    version = undefined
    returned = false
    begun = false
  }

  return {
    push(chunk) {
      let from = 0
      for (let i = 0; i < chunk.length; i++) {
        const unit = chunk[i]
        if (unit !== '\n' && unit !== '\r') continue
        if (i > from) text(chunk.slice(from, i))
        if (unit === '\n') endLine('\n')
        else returned = true
        from = i + 1
      }
      if (from < chunk.length) text(chunk.slice(from))
    },
    take() {
      // A carriage return at the end may yet turn out to replace the line.
      const keep = returned && version === undefined && !begun ? ready.lastIndexOf('\n') + 1 : ready.length
      const taken = ready.slice(0, keep)
      ready = ready.slice(keep)
      if (taken !== '') begun = !taken.endsWith('\n')
      return taken
    },
    end() {
      endLine('')
      const taken = ready
      ready = ''
      return taken
    },
  }
}
