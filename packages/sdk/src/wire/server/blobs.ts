import type { Context } from 'hono'
import { WireError } from '../../protocol/errors.ts'
import { accessible } from './access.ts'
import { mediaTypeOf, readBytes } from './body.ts'
import { badRequest } from './errors.ts'
import type { Env } from './guard.ts'
import type { ServerSettings } from './options.ts'

const MAX_NAME = 256

export async function upload(c: Context<Env>, settings: ServerSettings, id: string): Promise<Response> {
  await accessible(id, c.get('principal'), 'write', settings)
  const { maxBytes, mediaTypes } = settings.uploads
  const mediaType = mediaTypeOf(c.req.raw)
  if (!takesMediaType(mediaType, mediaTypes)) {
    throw new WireError('wire.content-type', `Bytes of the type "${mediaType}" are not taken.`, {
      ...(mediaTypes && { details: { mediaTypes: [...mediaTypes] } }),
    })
  }
  const name = c.req.query('name')
  if (name !== undefined && (name.length > MAX_NAME || /\p{Cc}/u.test(name))) throw badRequest('This name is no name.')
  const bytes = await readBytes(c.req.raw, maxBytes)
  if (bytes.length === 0) throw badRequest('There are no bytes.')
  const blob = await settings.host.runtime.store.blobs.put(id, bytes, mediaType)
  return c.json({ blob, mediaType, ...(name !== undefined && { name: name.toWellFormed() }) }, 201)
}

/** What the bytes are is written where they are used. Here they are bytes: a browser that comes here saves them. */
export async function download(c: Context<Env>, settings: ServerSettings, id: string): Promise<Response> {
  await accessible(id, c.get('principal'), 'read', settings)
  const sha256 = c.req.param('sha256') ?? ''
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw badRequest('Bytes are named by their SHA-256, in 64 small hex digits.')
  const bytes = await settings.host.runtime.store.blobs.get(id, sha256)
  if (bytes === undefined) throw new WireError('wire.not-found', 'The session has no such bytes.')
  return c.body(new Uint8Array(bytes), 200, {
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'cache-control': 'private, max-age=31536000, immutable',
  })
}

/** Whether uploads may be of this type. */
export function takesMediaType(mediaType: string, allowed: readonly string[] | undefined): boolean {
  if (!/^[^/\s]+\/[^/\s]+$/.test(mediaType)) return false
  if (allowed === undefined) return true
  return allowed.some((type) => type === mediaType || (type.endsWith('/*') && mediaType.startsWith(type.slice(0, -1))))
}
