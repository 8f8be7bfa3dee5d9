import { thrownText } from '../protocol/errors.ts'
import { fold, INVISIBLE } from './fold.ts'
import { matchesSegments, readSegments, type SegmentPattern } from './wildcard.ts'

/** Where relative paths and `~` start, as absolute paths with `/`. */
export interface Places {
  readonly cwd?: string
  readonly home?: string
  /** The path with every link in it followed, also where its end does not exist yet. Rejects when it cannot say. */
  realpath?(path: string): Promise<string>
}

type Segments = readonly string[]

/** Every place a path may mean. */
export interface Location {
  /** As it is written, `.` and `..` taken away. */
  readonly written: readonly Segments[]
  /** With links followed. Empty where nothing follows them. */
  readonly real: readonly Segments[]
  readonly isInside: boolean
  /** Why it is not certain where the path leads. */
  readonly unclear?: string
}

export function segmentsOf(path: string): Segments {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments
}

/** Finds where a path leads. Never rejects. */
export async function locate(target: string, places: Places): Promise<Location> {
  const paths = meanings(target, places)
  const written = paths.map(segmentsOf)
  const { cwd, realpath } = places
  let unclear = oddity(target, places)
  let real: Segments[] = []
  let realCwd: Segments | undefined
  if (realpath !== undefined && unclear === undefined) {
    // A link before `..` leads elsewhere for the system than for a program that shortens the path first: both count.
    const ways = new Set([...paths, ...written.map((segments) => `/${segments.join('/')}`)])
    try {
      real = (await Promise.all([...ways].map((path) => realpath(path)))).map(segmentsOf)
      if (cwd !== undefined) realCwd = segmentsOf(await realpath(cwd))
    } catch (error) {
      unclear = `its links cannot be followed: ${thrownText(error)}`
    }
  }
  const isInside =
    cwd !== undefined &&
    unclear === undefined &&
    written.every((segments) => lies(segments, segmentsOf(cwd))) &&
    real.every((segments) => realCwd !== undefined && lies(segments, realCwd))
  return { written, real, isInside, ...(unclear !== undefined && { unclear }) }
}

function lies(segments: Segments, folder: Segments): boolean {
  return folder.every((name, i) => segments[i] === name)
}

/** Some tools take `~` for the home directory, others for a name. */
function meanings(target: string, { cwd = '', home }: Places): string[] {
  const literal = target.startsWith('/') ? target : `${cwd}/${target}`
  const isHome = target === '~' || target.startsWith('~/')
  return isHome && home !== undefined ? [literal, `${home}${target.slice(1)}`] : [literal]
}

function oddity(target: string, { cwd, home }: Places): string | undefined {
  if (target === '') return 'it is empty'
  if (cwd === undefined && !target.startsWith('/')) return 'it is relative, and no working directory is set'
  if (/^~[^/]/.test(target) || (target.startsWith('~') && home === undefined)) return 'it starts in an unknown home'
  if (/\p{Cc}/u.test(target) || !target.isWellFormed()) return 'it holds control characters'
  if (INVISIBLE.test(target)) return 'it holds invisible characters'
  if (target.includes('\\')) return 'it holds backslashes'
  if (target.split('/').some((name) => name !== '.' && name !== '..' && /[. ]$/.test(name))) {
    return 'a name in it ends in a dot or a blank'
  }
  if (/[./\\~]/.test(target.replace(/\p{ASCII}/gu, '').normalize('NFKC')))
    return 'it holds look-alikes of dots or slashes'
  return undefined
}

export interface PathPattern {
  /** From `/`, with the written and with the real working directory and home. */
  readonly written: SegmentPattern
  readonly folded: SegmentPattern
  real(): Promise<{ readonly exact: SegmentPattern; readonly folded: SegmentPattern }>
}

/** Whether the text can only be meant as a path. */
export function looksLikePath(text: string): boolean {
  return /^(?:\.{0,2}\/|~\/|\*\*\/)|^(?:\.{1,2}|~|\*\*)$/.test(text)
}

/** A glob with `*` and `**`. Undefined when it cannot be placed: it is relative to something that is not set. */
export function readPathPattern(text: string, places: Places): PathPattern | undefined {
  const fromHome = text === '~' || text.startsWith('~/')
  const base = text.startsWith('/') ? '' : fromHome ? places.home : places.cwd
  if (base === undefined) return undefined
  const rest = fromHome ? text.slice(1) : `/${text}`
  const at = (folder: string) => {
    const segments = segmentsOf(folder + rest)
    return { exact: readSegments(segments), folded: readSegments(segments.map(fold)) }
  }
  const { exact, folded } = at(base)
  const { realpath } = places
  const real = async () => (base === '' || realpath === undefined ? { exact, folded } : at(await realpath(base)))
  return { written: exact, folded, real }
}

export async function allowsPath(pattern: PathPattern, location: Location): Promise<boolean> {
  if (location.unclear !== undefined) return false
  if (!location.written.every((segments) => matchesSegments(pattern.written, segments))) return false
  if (location.real.length === 0) return true
  const { exact } = await pattern.real()
  return location.real.every((segments) => matchesSegments(exact, segments))
}

/** For rules that deny or ask: any place it may mean, in any case, and a folder as well as what is in it. */
export async function touchesPath(pattern: PathPattern, location: Location): Promise<boolean> {
  const { folded } = await pattern.real().catch(() => pattern)
  return [...location.written, ...location.real].some((segments) => {
    const plain = segments.map(foldName)
    return matchesSegments(folded, plain, true) || matchesSegments(pattern.folded, plain, true)
  })
}

function foldName(name: string): string {
  return fold(name).replace(/[. ]+$/, '') || name
}
