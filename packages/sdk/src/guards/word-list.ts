import type { CheckedText, CompliancePolicy, OutputCheck } from '../protocol/compliance.ts'
import { ConfigError } from '../protocol/errors.ts'
import { characterAt, Words } from './words.ts'

export interface WordListOptions {
  /** Words and phrases. */
  readonly words: Iterable<string>
  readonly action: 'mask' | 'block'
  /** What is shown in place of a word. Default: `•••`. */
  readonly mask?: string
}

const REASON = 'it holds a word of the list'

/**
 * A policy that masks the words of a list, or refuses what holds one: in what people send, and in what the model says,
 * thinks and passes to tools.
 *
 * Only whole words count: "ass" is not found in "class". A word ends where no letter, digit, mark or underscore follows,
 * and anywhere in scripts without spaces, such as Chinese, Japanese and Thai. Of two words that begin at the same place
 * the longer one counts. Case and compatibility forms play no part (NFKD: "ﬁ" is "fi", fullwidth "Ａ" is "a"), accents
 * do. White space in a phrase stands for any one character of white space. Spellings made to evade, with invisible
 * characters or look-alikes, are not found.
 *
 * Of a reply it holds back no more characters than the longest word has. Throws `config.invalid` for an empty word.
 */
export function wordList(options: WordListOptions): CompliancePolicy {
  const listed = [...options.words]
  if (listed.some((word) => word.trim() === '')) {
    throw new ConfigError(
      'config.invalid',
      'The words of wordList() hold an empty one, which every text would contain.',
    )
  }
  const words = new Words(listed)
  const mask = options.action === 'mask' ? (options.mask ?? '•••') : undefined
  return {
    input(text) {
      const checked = new WordCheck(words, mask, text).end()
      if (checked.action === 'allow') return { action: 'allow' }
      return checked.action === 'mask' ? checked : { action: 'block', reason: REASON }
    },
    output: () => new WordCheck(words, mask),
  }
}

class WordCheck implements OutputCheck {
  readonly #words: Words
  /** Undefined: the first word blocks. */
  readonly #mask: string | undefined
  #held: string
  /** The character in front of what is held. */
  #before = ''
  #isBlocked = false

  constructor(words: Words, mask: string | undefined, text = '') {
    this.#words = words
    this.#mask = mask
    this.#held = text
  }

  push(text: string): CheckedText {
    return this.#check(this.#held + text, false)
  }

  end(): CheckedText {
    return this.#check(this.#held, true)
  }

  #check(text: string, isComplete: boolean): CheckedText {
    if (this.#isBlocked) return { action: 'block', text: '', reason: REASON }
    let shown = ''
    let copied = 0
    let at = 0
    while (at < text.length) {
      const end = this.#words.endOfWord(text, at, this.#before, isComplete)
      if (end === undefined) break
      if (end === at) {
        this.#before = characterAt(text, at, true) as string
        at += this.#before.length
        continue
      }
      shown += text.slice(copied, at)
      if (this.#mask === undefined) {
        this.#isBlocked = true
        return { action: 'block', text: shown, reason: REASON }
      }
      shown += this.#mask
      // The word is whole: whatever follows begins another one.
      this.#before = ''
      at = copied = end
    }
    this.#held = text.slice(at)
    shown += text.slice(copied, at)
    return copied > 0 ? { action: 'mask', text: shown, reason: REASON } : { action: 'allow', text: shown }
  }
}
