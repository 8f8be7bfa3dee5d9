import type { KeyPress } from '../terminal/keyboard.ts'

const NAMED = /^<(C-)?(M-)?([^>]+)>$/

/** Key presses as they are written in tests: `hi<return>`, `<C-c>`, `<M-return>`, `<escape>`. */
export function keys(typed: string): KeyPress[] {
  return (typed.match(/<[^>]+>|./gsu) ?? []).map((token) => {
    const [, ctrl, meta, name] = NAMED.exec(token) ?? []
    const isLetter = name === undefined
    return {
      name: name ?? (/^[a-z0-9]$/.test(token) ? token : ''),
      text: isLetter ? token : '',
      ctrl: ctrl !== undefined,
      meta: meta !== undefined,
    }
  })
}
