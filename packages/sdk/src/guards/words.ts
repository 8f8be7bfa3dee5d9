const WORD = /[\p{L}\p{N}\p{M}_]/u
const MARK = /\p{M}/u
/** Scripts that are written without spaces: a word may begin and end anywhere. */
const UNSPACED = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u

/** Words and phrases, found in text of which the end may still be to come. */
export class Words {
  readonly #words = new Set<string>()
  /** Every beginning of every word. */
  readonly #beginnings = new Set<string>()

  constructor(words: Iterable<string>) {
    for (const word of words) {
      const text = [...word.trim()].map(fold).join('')
      this.#words.add(text)
      for (let length = 1; length <= text.length; length++) this.#beginnings.add(text.slice(0, length))
    }
  }

  /**
   * Where the longest whole word that begins at `start` ends: at `start` when there is none. Undefined when that depends
   * on what follows; `isComplete` says that nothing does. `before`: the character in front of `start`, if any.
   */
  endOfWord(text: string, start: number, before: string, isComplete: boolean): number | undefined {
    let read = ''
    let last = before
    let found = start
    for (let at = start; ; at += last.length) {
      const next = characterAt(text, at, isComplete)
      if (next === undefined) return undefined
      if (this.#words.has(read) && !isInside(last, next)) found = at
      if (next === '') return found
      read += fold(next)
      if (!this.#beginnings.has(read)) return found
      if (at === start && isInside(before, next)) return start
      last = next
    }
  }
}

/** The character at a place, '' at the end of the text; undefined when it, or half of it, has not come yet. */
export function characterAt(text: string, at: number, isComplete: boolean): string | undefined {
  const code = text.codePointAt(at)
  if (code === undefined) return isComplete ? '' : undefined
  const isHalf = code >= 0xd800 && code <= 0xdbff
  return isHalf && at + 1 === text.length && !isComplete ? undefined : String.fromCodePoint(code)
}

/** Whether a word goes on from one character to the next. */
function isInside(last: string, next: string): boolean {
  if (last === '' || !WORD.test(next)) return false
  if (MARK.test(next)) return true
  return WORD.test(last) && !UNSPACED.test(last) && !UNSPACED.test(next)
}

/** Characters that count as the same give the same text: NFKD, case, white space. */
function fold(character: string): string {
  if (character > ' ' && character < '\x7f') return character.toLowerCase()
  const folded = character.normalize('NFKD').toUpperCase().toLowerCase()
  return /\s/.test(folded) ? ' ' : folded
}
