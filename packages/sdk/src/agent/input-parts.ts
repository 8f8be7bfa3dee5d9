import { InputError } from '../protocol/errors.ts'
import type { UserPart } from '../protocol/messages.ts'
import type { BytesPart } from '../protocol/session.ts'
import { MAX_BLOB_BYTES } from './defaults.ts'
import { checkTexts, type InputPlace } from './input-content.ts'
import { ownJson } from './own-json.ts'

/** The parts of an input as they are stored. Throws an `InputError` for what cannot be. */
export async function storedParts(
  given: readonly (UserPart | BytesPart)[],
  sessionId: string,
  { store, ready }: InputPlace,
): Promise<UserPart[]> {
  checkParts(given)
  // What the caller makes of its parts from here on is not seen; the bytes it leaves alone until they are stored.
  const own = given.map((part) => ('bytes' in part ? ownBytes(part) : (ownJson(part) as unknown as UserPart)))
  await ready
  return Promise.all(
    own.map(async (part): Promise<UserPart> => {
      if (!('bytes' in part)) return part
      const { bytes, ...rest } = part
      return { ...rest, blob: await store.blobs.put(sessionId, bytes, part.mediaType) }
    }),
  )
}

/** Any view of bytes, also one of wider numbers, is the bytes that it shows. */
function ownBytes({ bytes, ...rest }: BytesPart): BytesPart {
  const { buffer, byteOffset, byteLength } = bytes
  return { ...(ownJson(rest) as unknown as typeof rest), bytes: new Uint8Array(buffer, byteOffset, byteLength) }
}

const ATTACHED = 'An image or a file has a mediaType, and bytes, a blob, a url, a path or a text.'
const CONTENTS = ['bytes', 'blob', 'url', 'path', 'text', 'omitted']

/** Whether it is a part of an input, with something in it: what is empty would be sent to nobody without a word. */
function isPart(part: UserPart | BytesPart | null | undefined): boolean {
  if (part?.type === 'text') return typeof part.text === 'string'
  if (part?.type === 'session') return typeof part.sessionId === 'string'
  if (part?.type !== 'image' && part?.type !== 'file') return false
  return typeof part.mediaType === 'string' && CONTENTS.some((field) => Object.hasOwn(part, field))
}

function checkParts(parts: readonly (UserPart | BytesPart)[]): void {
  if (!Array.isArray(parts)) throw new InputError('input.empty', 'An input needs text or an attachment.')
  if (!parts.every(isPart)) {
    throw new InputError(
      'input.invalid',
      `An input is a text, or a list of text, image, file and session parts. ${ATTACHED}`,
    )
  }
  checkTexts(parts)
  for (const part of parts) {
    if (!('bytes' in part)) continue
    if (!ArrayBuffer.isView(part.bytes)) {
      throw new InputError('input.invalid', 'The bytes of an attachment have to be a Uint8Array.')
    }
    if (part.bytes.byteLength > MAX_BLOB_BYTES) {
      const what = `An attachment has ${part.bytes.byteLength} bytes; the limit is ${MAX_BLOB_BYTES}.`
      throw new InputError('input.too-large', what)
    }
  }
}
