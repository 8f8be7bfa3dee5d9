import { unlessAborted } from '../protocol/unless-aborted.ts'
import { environment } from './environment.ts'

/** Headers for every request, or a function that is asked before each one: for tokens that expire. */
export type HeaderSource =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)

/** How a key is sent. */
export type KeyHeader = (key: string) => readonly [name: string, value: string]

export const bearer: KeyHeader = (key) => ['authorization', `Bearer ${key}`]

interface Credentials {
  readonly provider: string
  readonly apiKey: string | undefined
  /** The variable that holds the key where none is given; undefined where the endpoint may need none. */
  readonly keyVariable: string | undefined
  readonly keyHeader: KeyHeader
  readonly headers: HeaderSource | undefined
}

/**
 * The headers of one request. Names are lower case, given ones win over the key's. Throws `config.missing-key` where the
 * endpoint needs a key and neither a key nor a header of that name was given.
 */
export async function requestHeaders(credentials: Credentials): Promise<Record<string, string>> {
  const { provider, keyVariable, keyHeader } = credentials
  const given = await givenHeaders(credentials)
  const key = credentials.apiKey?.trim() || (keyVariable && environment(keyVariable)) || ''
  const [name, value] = keyHeader(key)
  if (key !== '') return { [name]: value, ...given }
  if (keyVariable && !('authorization' in given) && !(name in given)) {
    throw (await import('./rare.ts')).missingKey(provider, keyVariable)
  }
  return given
}

async function givenHeaders({ provider, headers }: Credentials): Promise<Record<string, string>> {
  try {
    const given = (typeof headers === 'function' ? await headers() : headers) ?? {}
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]))
  } catch (thrown) {
    throw (await import('./rare.ts')).headersFailure(provider, thrown)
  }
}

/** Appends a path to a base URL, before its query: Azure keeps `api-version` there. */
export function joinUrl(baseURL: string, path: string): string {
  const [base = '', query] = baseURL.trim().split('?', 2)
  return `${base.replace(/\/+$/, '')}${path}${query === undefined ? '' : `?${query}`}`
}

/** Tells whoever is behind an address from others: sealed thoughts of one are not for another. */
export function hostOf(baseURL: string, otherwise: string): string {
  return URL.canParse(baseURL) ? new URL(baseURL).host : otherwise
}

/** Waits for what cannot be stopped itself, and throws the signal's reason as soon as that is aborted. */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const value = await unlessAborted(signal, work)
  signal.throwIfAborted()
  return value as T
}
