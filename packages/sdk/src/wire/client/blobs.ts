import { errorOf } from '../../protocol/errors.ts'
import type { BlobRef, UserPart } from '../../protocol/messages.ts'
import type { InputContent } from '../../protocol/session.ts'
import type { ToolHost } from '../../tools/context.ts'
import type { Feed } from './feed.ts'
import type { Http } from './http.ts'

/** What is stored with a session. */
export function blobsOf(http: Http, { path }: Feed): ToolHost['blobs'] {
  return {
    async put(bytes, mediaType = 'application/octet-stream') {
      const body = bytes as Uint8Array<ArrayBuffer>
      const answer = await http.fetchJson({ method: 'POST', path: `${path}/blobs`, body, type: mediaType })
      return (answer as { blob: BlobRef }).blob
    },
    async get(sha256) {
      const response = await http.send({ path: `${path}/blobs/${encodeURIComponent(sha256)}`, accept: '*/*' })
      return new Uint8Array(await response.arrayBuffer())
    },
  }
}

/** An input as it is sent: its bytes are uploaded first. */
export async function uploaded(http: Http, feed: Feed, input: Exclude<InputContent, string>): Promise<UserPart[]> {
  if (!Array.isArray(input) || input.length === 0) {
    throw errorOf('input.empty', 'An input needs text or an attachment.')
  }
  await feed.load()
  const blobs = blobsOf(http, feed)
  return Promise.all(
    input.map(async (part): Promise<UserPart> => {
      if (!('bytes' in part)) return part
      const { bytes, ...rest } = part
      return { ...rest, blob: await blobs.put(bytes, part.mediaType) }
    }),
  )
}
