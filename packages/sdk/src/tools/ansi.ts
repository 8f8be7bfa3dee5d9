/**
 * Takes terminal control out of a stream of text: escape sequences, also those that are split between chunks, and control
 * characters other than tab, `\n` and `\r`. A sequence that never ends costs no more than its line.
 */
export function ansiStripper(): (chunk: string) => string {
  let state: 'text' | 'escape' | 'csi' | 'string' | 'string-escape' = 'text'

  function next(code: number): 'keep' | 'drop' {
    if (state !== 'text' && (code === LF || code === CR)) {
      state = 'text'
      return 'keep'
    }
    switch (state) {
      case 'text':
        if (code === ESC) state = 'escape'
        else if (code === C1_CSI) state = 'csi'
        else return isControl(code) ? 'drop' : 'keep'
        return 'drop'
      case 'escape':
        if (code === 0x5b) state = 'csi'
        else if (STRING_STARTS.has(code)) state = 'string'
        else if (code !== ESC && (code < 0x20 || code > 0x2f)) state = 'text'
        return 'drop'
      case 'csi':
        if (code === ESC) state = 'escape'
        else if (code >= 0x40 && code <= 0x7e) state = 'text'
        return 'drop'
      case 'string':
        if (code === BEL) state = 'text'
        else if (code === ESC) state = 'string-escape'
        return 'drop'
      case 'string-escape':
        state = code === 0x5c ? 'text' : 'string'
        return 'drop'
    }
  }

  return (chunk) => {
    if (state === 'text' && !CONTROLS.test(chunk)) return chunk
    let kept = ''
    let from = 0
    for (let i = 0; i < chunk.length; i++) {
      if (next(chunk.charCodeAt(i)) === 'keep') continue
      kept += chunk.slice(from, i)
      from = i + 1
    }
    return kept + chunk.slice(from)
  }
}

const BEL = 0x07
const LF = 0x0a
const CR = 0x0d
const ESC = 0x1b
const C1_CSI = 0x9b
/** After an escape: DCS, SOS, OSC, PM and APC, which run to a BEL or `ESC \`. */
const STRING_STARTS = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f])
/** All controls but tab, line feed and carriage return. */
const CONTROLS = /[^\P{Cc}\t\n\r]/u

function isControl(code: number): boolean {
  if (code === 0x09 || code === LF || code === CR) return false
  return code < 0x20 || (code >= 0x7f && code <= 0x9f)
}
