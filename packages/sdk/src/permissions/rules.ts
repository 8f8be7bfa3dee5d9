import { ConfigError } from '../protocol/errors.ts'
import type { Claim, Subject } from './claims.ts'
import { allowsCommand, type CommandPattern, readCommandPattern, touchesCommand } from './command-pattern.ts'
import { fold } from './fold.ts'
import { allowsPath, looksLikePath, type PathPattern, type Places, readPathPattern, touchesPath } from './paths.ts'
import { allowsUrl, looksLikeUrl, readUrlPattern, touchesUrl, type UrlPattern } from './urls.ts'
import { matchesWildcard, readWildcard, type Wildcard } from './wildcard.ts'

/** `tool` or `tool(pattern)`; the tool's name may hold stars. */
export interface Rule {
  readonly text: string
  readonly tool: Wildcard
  /** Absent: whatever the tool would do. */
  readonly pattern?: Pattern
}

/** A pattern as each kind of operation reads it: undefined where it makes no sense for that kind. */
interface Pattern {
  readonly command: CommandPattern | undefined
  readonly path: PathPattern | undefined
  readonly redirect: { readonly direction: '<' | '>'; readonly path: PathPattern } | undefined
  readonly url: UrlPattern | undefined
  readonly text: Wildcard
  readonly folded: Wildcard
}

/** Throws `config.invalid` for a rule that could never mean what it says. */
export function readRule(text: string, places: Places): Rule {
  const [, tool, open, written] = /^([^\s()]+)(?:(\()([\s\S]*)\))?$/.exec(text) ?? []
  if (tool === undefined) throw wrong(text, 'is neither "tool" nor "tool(pattern)"')
  const name = readWildcard(tool)
  return open === undefined
    ? { text, tool: name }
    : { text, tool: name, pattern: readPattern(text, written ?? '', places) }
}

function readPattern(rule: string, text: string, places: Places): Pattern {
  if (text.trim() === '')
    throw wrong(rule, 'has an empty pattern; leave the parentheses out to mean every call of the tool')
  const wildcard = readWildcard(text)
  const forText = { text: wildcard, folded: wildcard.map(fold) }
  const none = { command: undefined, path: undefined, redirect: undefined, url: undefined, ...forText }
  if (looksLikeUrl(text)) {
    const url = readUrlPattern(text)
    if (url === undefined) throw wrong(rule, 'holds a URL that cannot be read; write it as https://host/path')
    return { ...none, url }
  }
  const [, direction, target] = /^([<>])\s*(\S[\s\S]*)$/.exec(text) ?? []
  if (target !== undefined)
    return { ...none, redirect: { direction: direction as '<' | '>', path: path(rule, target, places) } }
  const command = readCommandPattern(text)
  if (looksLikePath(text)) return { ...none, command, path: path(rule, text, places) }
  if (command === undefined) {
    throw wrong(
      rule,
      'is not one plain command: no operators, no redirections, no variables, and quotes around what the shell would expand. A path starts with ./, ~/ or /',
    )
  }
  return { ...none, command, path: readPathPattern(text, places) }
}

function path(rule: string, text: string, places: Places): PathPattern {
  if (/\{[^}]*,[^}]*\}/.test(text)) throw wrong(rule, 'holds braces; write one rule for each of the names')
  const pattern = readPathPattern(text, places)
  if (pattern === undefined) {
    throw wrong(rule, `is relative; give permissions() the ${text.startsWith('~') ? 'home' : 'cwd'} it starts from`)
  }
  return pattern
}

function wrong(rule: string, what: string): ConfigError {
  return new ConfigError('config.invalid', `The permission rule "${rule}" ${what}.`)
}

export function isAbout(rule: Rule, toolName: string): boolean {
  return matchesWildcard(rule.tool, toolName)
}

/** Whether the rule allows the claim: exactly, and only what is fully understood. */
export async function allows({ pattern }: Rule, { subject, unclear, isHidden }: Claim): Promise<boolean> {
  if (pattern === undefined) return true
  if (subject === undefined || unclear !== undefined || isHidden) return false
  switch (subject.type) {
    case 'command':
      return pattern.command !== undefined && allowsCommand(pattern.command, subject.words)
    case 'path':
      return pattern.path !== undefined && allowsPath(pattern.path, subject.location)
    case 'redirect':
      return pattern.redirect?.direction === subject.direction && allowsPath(pattern.redirect.path, subject.location)
    case 'url':
      return pattern.url !== undefined && allowsUrl(pattern.url, subject.url)
    default:
      return matchesWildcard(pattern.text, subject.text)
  }
}

/** Whether a rule that denies or asks is about the claim, in whatever disguise. */
export async function touches({ pattern }: Rule, { subject }: Claim): Promise<boolean> {
  if (pattern === undefined) return true
  return subject !== undefined && touchesSubject(pattern, subject)
}

function touchesSubject(pattern: Pattern, subject: Subject): boolean | Promise<boolean> {
  switch (subject.type) {
    case 'command':
      return pattern.command !== undefined && touchesCommand(pattern.command, subject.words)
    case 'path':
      return pattern.path !== undefined && touchesPath(pattern.path, subject.location)
    case 'redirect': {
      // A path that may not be written by a tool may not be written by its command lines either.
      const path = pattern.redirect?.direction === subject.direction ? pattern.redirect.path : pattern.path
      return path !== undefined && touchesPath(path, subject.location)
    }
    case 'url':
      return pattern.url !== undefined && touchesUrl(pattern.url, subject.url)
    default:
      return matchesWildcard(pattern.folded, fold(subject.text))
  }
}
