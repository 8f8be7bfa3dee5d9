import { fold } from './fold.ts'
import {
  matchesSegments,
  matchesWildcard,
  readSegments,
  readWildcard,
  type SegmentPattern,
  type Wildcard,
} from './wildcard.ts'

export interface UrlPattern {
  /** With its colon, as in `https:`. */
  readonly protocol: string
  readonly host: Wildcard
  /** Path and query. Absent: the whole site. */
  readonly path?: SegmentPattern
  readonly foldedPath?: SegmentPattern
}

export function looksLikeUrl(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text)
}

/** `https://host/path`; a `*` in the host or the path is a star. Undefined when it is no such URL. */
export function readUrlPattern(text: string): UrlPattern | undefined {
  const [, scheme, host, path] = /^([a-z][a-z\d+.-]*:)\/\/([^/?#@\\\s]+)(\/[^#]*)?$/i.exec(text) ?? []
  if (scheme === undefined || host === undefined) return undefined
  const url = readUrl(`${scheme}//${host.replaceAll('*', 'star')}${path ?? ''}`)
  if (url === undefined) return undefined
  const plainHost = host.includes('*') ? host.toLowerCase() : url.host
  if (path === undefined) return { protocol: url.protocol, host: readWildcard(plainHost) }
  const segments = pathOf(url).split('/')
  return {
    protocol: url.protocol,
    host: readWildcard(plainHost),
    path: readSegments(segments),
    foldedPath: readSegments(segments.map(foldSegment)),
  }
}

function readUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

/** Why a URL cannot be allowed by any pattern. */
export function urlOddity(text: string): string | undefined {
  const url = readUrl(text)
  if (url === undefined) return 'it is no absolute URL'
  if (url.username !== '' || url.password !== '') return 'it holds a name or a password'
  if (url.host === '') return 'it names no host'
  return undefined
}

export function allowsUrl(pattern: UrlPattern, text: string): boolean {
  const url = readUrl(text)
  if (url === undefined || urlOddity(text) !== undefined) return false
  if (url.protocol !== pattern.protocol || !matchesWildcard(pattern.host, url.host)) return false
  return pattern.path === undefined || matchesSegments(pattern.path, pathOf(url).split('/'))
}

/** For rules that deny or ask: whatever the scheme, the port, and the way the path is encoded. */
export function touchesUrl(pattern: UrlPattern, text: string): boolean {
  const url = readUrl(text)
  if (url === undefined) return false
  const name = url.hostname.replace(/\.$/, '')
  if (!matchesWildcard(pattern.host, name) && !matchesWildcard(pattern.host, url.host)) return false
  return (
    pattern.foldedPath === undefined ||
    matchesSegments(pattern.foldedPath, pathOf(url).split('/').map(foldSegment), true)
  )
}

function pathOf(url: URL): string {
  return url.pathname + url.search
}

function foldSegment(segment: string): string {
  try {
    return fold(decodeURIComponent(segment))
  } catch {
    return fold(segment)
  }
}

/** The pattern of exactly this URL; undefined where a pattern would say more. */
export function exactUrl(text: string): string | undefined {
  const url = readUrl(text)
  if (url === undefined || urlOddity(text) !== undefined) return undefined
  const exact = `${url.protocol}//${url.host}${pathOf(url)}`
  return exact.includes('*') ? undefined : exact
}
