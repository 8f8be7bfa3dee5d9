import { type Command, forEachChild, parse, type Redirection, type Script, type SyntaxNode, type Word } from 'unbash'
import { fold, INVISIBLE } from './fold.ts'
import { plainWord } from './shell-words.ts'
import { changesShell, wrappedIn } from './wrappers.ts'

export interface CommandLine {
  /** The simple commands, each as its words. Words that are not plain stand as they are written. */
  readonly commands: readonly (readonly string[])[]
  /** What those commands may run in their turn, and what is left when disguises are taken off. Never allows anything. */
  readonly hidden: readonly (readonly string[])[]
  readonly redirects: readonly Redirect[]
  readonly hiddenRedirects: readonly Redirect[]
  /** Why the line is not fully understood. Absent: what is in `commands` and `redirects` is all that it does. */
  readonly unclear?: string
}

interface Redirect {
  readonly direction: '<' | '>'
  readonly path: string
}

const MAX_LENGTH = 20_000
/** Past these the rest is not looked at, and the line is unclear. */
const MAX_DEPTH = 30
const MAX_NESTED = 4
const MAX_SCRIPTS = 50
const MAX_HIDDEN = 1000

const TOO_MANY = 'it runs too many commands by way of others'
const USUAL_BLANKS = /[ \t\n]/g
const ALWAYS_OPEN = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/stdin'])

/** Reads a command line as bash does. Never throws; what it does not fully understand it calls unclear. */
export function readCommandLine(source: string): CommandLine {
  const reader = new Reader()
  if (source.length > MAX_LENGTH) reader.doubt(`it is longer than ${MAX_LENGTH} characters`)
  else {
    const disguise = disguiseIn(source)
    reader.read(source)
    if (disguise !== undefined) {
      reader.doubt(disguise)
      reader.unmask(source)
    }
    if (reader.commands.length === 0 && reader.redirects.length === 0) reader.doubt('it holds no command')
  }
  const { commands, hidden, redirects, hiddenRedirects, unclear } = reader
  return { commands, hidden, redirects, hiddenRedirects, ...(unclear !== undefined && { unclear }) }
}

function disguiseIn(source: string): string | undefined {
  const unusual = source.replace(USUAL_BLANKS, '')
  if (/\p{Cc}/u.test(unusual)) return 'it holds control characters'
  if (INVISIBLE.test(source)) return 'it holds invisible characters'
  if (/\p{White_Space}/u.test(unusual)) return 'it holds unusual blanks'
  if (!source.isWellFormed()) return 'it is no well-formed text'
  return undefined
}

class Reader {
  readonly commands: string[][] = []
  readonly hidden: (readonly string[])[] = []
  readonly redirects: Redirect[] = []
  readonly hiddenRedirects: Redirect[] = []
  unclear: string | undefined
  #scripts = 0
  #depth = 0

  doubt(why: string): void {
    this.unclear ??= why
  }

  read(source: string): void {
    const script = this.#parse(source)
    if (script === undefined) return
    if (script.errors?.length) this.doubt('it is not a complete command line')
    this.#visit(script)
    for (const words of this.commands) this.#unwrap(words, MAX_NESTED)
  }

  /** What other programs may read in a disguised text: a carriage return as a line's end, look-alikes as letters. */
  unmask(source: string): void {
    const lines = source.replace(/[\r\v\f\u0085\u2028\u2029]/g, '\n').replace(/[^\S\n]/g, ' ')
    const script = this.#parse(fold(lines).replace(/\p{Cc}/gu, (character) => (character === '\n' ? '\n' : '')))
    if (script !== undefined) this.#hide(script, MAX_NESTED)
  }

  #parse(source: string): ReturnType<typeof parse> | undefined {
    try {
      return parse(source)
    } catch {
      this.doubt('it cannot be read')
      return undefined
    }
  }

  /** Walks the constructs whose meaning is known; of all others only what runs inside them is looked for. */
  #visit(node: SyntaxNode): void {
    switch (node.type) {
      case 'Script':
      case 'Statement':
      case 'AndOr':
      case 'Subshell':
      case 'BraceGroup':
      case 'CompoundList':
        break
      case 'Pipeline':
        if (node.prefixes.length > 0) this.doubt('it is timed or negated')
        break
      case 'Redirected':
        this.#visit(node.command)
        for (const redirect of node.redirects) this.#redirect(redirect)
        return
      case 'Command':
        return this.#command(node)
      default:
        this.doubt(`it uses ${NAMES[node.type] ?? 'syntax that no rule describes'}`)
    }
    this.#visitChildren(node)
  }

  /** Substitutions are parsed as they are visited: what nobody visits costs nothing. */
  #visitChildren(node: SyntaxNode): void {
    if (this.#depth >= MAX_DEPTH) return this.doubt('it is nested too deeply')
    this.#depth++
    forEachChild(node, (child) => this.#visit(child))
    this.#depth--
  }

  #command(command: Command): void {
    const words: string[] = []
    if (command.name !== undefined) words.push(this.#word(command.name))
    for (const part of [...command.prefix, ...command.suffix]) {
      if (part.type === 'Word') words.push(this.#word(part))
      else if (part.type === 'Assignment') {
        this.doubt('it sets variables')
        this.#visitChildren(part)
      } else this.#redirect(part)
    }
    if (words.length === 0) return
    this.commands.push(words)
    if (changesShell(words)) this.doubt(`"${words[0]}" changes what the rest means`)
  }

  #word(word: Word): string {
    const plain = plainWord(word)
    if (plain !== undefined) return plain
    this.doubt(`the shell would change ${word.text.length > 60 ? 'a word of it' : word.text}`)
    this.#visitChildren(word)
    return word.value
  }

  #redirect(redirect: Redirection): void {
    if (redirect.type !== 'Redirect' || redirect.target === undefined) {
      this.doubt('it feeds text to a command')
      return this.#visitChildren(redirect)
    }
    if (redirect.descriptor?.type === 'FileDescriptorVariable') this.doubt('it sets variables')
    const path = this.#word(redirect.target)
    const { operator } = redirect
    const copies = (operator === '>&' || operator === '<&') && /^(?:\d+-?|-)$/.test(path)
    if (copies || ALWAYS_OPEN.has(path)) return
    if (operator !== '>' && operator !== '>>' && operator !== '>|') this.redirects.push({ direction: '<', path })
    if (operator !== '<' && operator !== '<&') this.redirects.push({ direction: '>', path })
  }

  #unwrap(words: readonly string[], depth: number): void {
    if (this.hidden.length > MAX_HIDDEN) return this.doubt(TOO_MANY)
    const { commands, scripts, isCut } = wrappedIn(words)
    if (isCut) this.doubt(TOO_MANY)
    this.hidden.push(...commands)
    for (const text of scripts) this.#script(text, depth)
    // A runner's own runners are among its suffixes already: only what they take as text is new.
    for (const inner of commands) for (const text of wrappedIn(inner).scripts) this.#script(text, depth)
  }

  #script(text: string, depth: number): void {
    if (/^[\w@%+:,./-]*$/.test(text)) return void this.hidden.push([text])
    if (depth === 0 || ++this.#scripts > MAX_SCRIPTS) return this.doubt(TOO_MANY)
    const script = this.#parse(text)
    if (script !== undefined) this.#hide(script, depth - 1)
  }

  #hide(script: Script, depth: number): void {
    const inner = new Reader()
    inner.#visit(script)
    if (inner.unclear !== undefined) this.doubt(inner.unclear)
    this.hiddenRedirects.push(...inner.redirects)
    for (const words of inner.commands) {
      this.hidden.push(words)
      this.#unwrap(words, depth)
    }
  }
}

/** How constructs are called in reasons. */
const NAMES: Readonly<Partial<Record<SyntaxNode['type'], string>>> = {
  CommandExpansion: 'command substitution',
  ProcessSubstitution: 'process substitution',
  Function: 'functions',
  If: 'conditions',
  Case: 'conditions',
  TestCommand: 'conditions',
  For: 'loops',
  While: 'loops',
  ArithmeticFor: 'loops',
  Select: 'loops',
  Coproc: 'coprocesses',
  ArithmeticCommand: 'arithmetic',
  ArithmeticExpansion: 'arithmetic',
}
