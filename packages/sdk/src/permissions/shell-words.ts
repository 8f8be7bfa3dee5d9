import type { DoubleQuotedChild, Word, WordPart } from 'unbash'

/** Unquoted characters that some shell gives a meaning. `#` inside a word has none. */
const MEANINGFUL = /[\\$`!*?{}[\]()<>&|;'"]/
/** Home directories, also in `a=~` and `a:~`; `=name` is a program's path in zsh. */
const EXPANDED_START = /^=|(?:^|[:=])~/
const ESCAPED = /\\[\s\S]/g

/** What a word says when no shell would expand it; undefined otherwise. */
export function plainWord(word: Word): string | undefined {
  if (word.parts === undefined) return isPlain(word.text, true) ? word.value : undefined
  let value = ''
  for (const part of word.parts) {
    const plain = plainPart(part, part === word.parts[0])
    if (plain === undefined) return undefined
    value += plain
  }
  return value
}

function plainPart(part: WordPart, isFirst: boolean): string | undefined {
  switch (part.type) {
    case 'Literal':
      return isPlain(part.text, isFirst) ? part.value : undefined
    case 'SingleQuoted':
      return part.value
    case 'DoubleQuoted':
      return plainQuoted(part.parts)
    default:
      return undefined
  }
}

function plainQuoted(parts: readonly DoubleQuotedChild[]): string | undefined {
  let value = ''
  for (const part of parts) {
    if (part.type !== 'Literal' || /[$`!]/.test(part.text.replace(ESCAPED, '')) || part.text.includes('!'))
      return undefined
    value += part.value
  }
  return value
}

function isPlain(text: string, isFirst: boolean): boolean {
  const unescaped = text.replace(ESCAPED, '_')
  return !MEANINGFUL.test(unescaped) && !(isFirst ? EXPANDED_START : /[:=]~/).test(unescaped)
}

/** A word as a shell reads it back, unchanged and unexpanded. */
export function quoteWord(word: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
