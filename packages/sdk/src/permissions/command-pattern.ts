import { parse, type Word, type WordPart } from 'unbash'
import { fold } from './fold.ts'
import { plainWord, quoteWord } from './shell-words.ts'
import { matchesWildcard, type Wildcard } from './wildcard.ts'
import { programName } from './wrappers.ts'

/** One simple command, word by word. */
export interface CommandPattern {
  readonly words: readonly Wildcard[]
  readonly folded: readonly Wildcard[]
  /** It ends in a word `*`: any further words, none included. */
  readonly isOpen: boolean
}

/**
 * Reads a pattern as a shell reads a command, with its quotes; an unquoted `*` is a star within its word. Undefined when
 * it is anything but one plain command.
 */
export function readCommandPattern(text: string): CommandPattern | undefined {
  const script = parse(text)
  const command = script.commands[0]?.command
  if (script.errors?.length || script.commands.length !== 1 || script.commands[0]?.background) return undefined
  if (command?.type !== 'Command' || command.prefix.length > 0 || command.name === undefined) return undefined
  const words: Wildcard[] = []
  for (const word of [command.name, ...command.suffix]) {
    const wildcard = word.type === 'Word' ? readWord(word) : undefined
    if (wildcard === undefined) return undefined
    words.push(wildcard)
  }
  const isOpen = words.at(-1)?.join('*') === '*'
  if (isOpen) words.pop()
  return { words, folded: words.map((word) => word.map(fold)), isOpen }
}

/** Without its stars a word must be plain. */
function readWord(word: Word): Wildcard | undefined {
  const pieces = ['']
  for (const part of word.parts ?? []) {
    if (part.type === 'Glob' && part.kind === 'star') pieces.push('')
    else {
      const plain = plainWord({ ...word, parts: [part] satisfies WordPart[] })
      if (plain === undefined) return undefined
      pieces[pieces.length - 1] += plain
    }
  }
  if (word.parts !== undefined) return pieces
  const plain = plainWord(word)
  return plain === undefined ? undefined : [plain]
}

export function allowsCommand({ words, isOpen }: CommandPattern, command: readonly string[]): boolean {
  if (isOpen ? command.length < words.length : command.length !== words.length) return false
  return words.every((word, i) => matchesWildcard(word, command[i] as string))
}

/** For rules that deny or ask: the program in any folder, any case, any disguise. */
export function touchesCommand({ folded, isOpen }: CommandPattern, command: readonly string[]): boolean {
  if (isOpen ? command.length < folded.length : command.length !== folded.length) return false
  return folded.every((word, i) => {
    const said = fold(command[i] as string)
    return matchesWildcard(word, said) || (i === 0 && matchesWildcard(word, programName(said)))
  })
}

/** The pattern of exactly this command. */
export function exactCommand(words: readonly string[]): string {
  return words.map(quoteWord).join(' ')
}
