import type { McpHttpServer, McpTransportServer } from './options.ts'

/** Shorter ones are no secrets, and would tear holes into texts. */
const LEAST = 6

/** Takes a server's secrets out of a text: the values of its headers and its environment, what its URL carries. */
export function redactor(server: McpHttpServer | Pick<McpTransportServer, 'secrets'>): (text: string) => string {
  const secrets = ('url' in server ? ofHttp(server.url, server.headers ?? {}) : (server.secrets ?? []))
    .filter((secret) => secret.length >= LEAST)
    .sort((a, b) => b.length - a.length)
  return (text) => secrets.reduce((kept, secret) => kept.replaceAll(secret, '[secret]'), text)
}

function ofHttp(url: string | URL, headers: Readonly<Record<string, string>>): string[] {
  const { username, password, search, searchParams } = new URL(url)
  const written = [username, password, search.slice(1), ...searchParams.values()]
  // "Bearer token" is found as a whole, and the token by itself.
  return [...written, ...Object.values(headers).flatMap((value) => [value, value.replace(/^\S+\s+/, '')])]
}
