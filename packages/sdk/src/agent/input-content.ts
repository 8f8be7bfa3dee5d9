import { InputError } from '../protocol/errors.ts'
import { normalise } from '../protocol/json.ts'
import type { UserPart } from '../protocol/messages.ts'
import type { BytesPart, InputContent } from '../protocol/session.ts'
import type { SessionStore } from '../stores/store.ts'
import { MAX_BLOB_BYTES, MAX_COMMAND_BYTES } from './defaults.ts'

/** The input as it is stored: bytes become blobs before it is accepted. Throws an `InputError` for one that cannot be. */
export async function storedInput(
  input: InputContent,
  sessionId: string,
  { store, ready }: { readonly store: SessionStore; readonly ready: Promise<void> },
): Promise<UserPart[]> {
  const given: readonly (UserPart | BytesPart)[] = typeof input === 'string' ? [{ type: 'text', text: input }] : input
  checkInput(given)
  await ready
  return Promise.all(
    given.map(async (part): Promise<UserPart> => {
      if (!('bytes' in part)) return normalise(part) as unknown as UserPart
      const { bytes, ...rest } = part
      return { ...rest, blob: await store.blobs.put(sessionId, bytes, part.mediaType) }
    }),
  )
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

function checkInput(parts: readonly (UserPart | BytesPart)[]): void {
  if (Array.isArray(parts) && !parts.every(isPart)) {
    throw new InputError(
      'input.invalid',
      `An input is a text, or a list of text, image, file and session parts. ${ATTACHED}`,
    )
  }
  const isBlank = (part: UserPart | BytesPart): boolean => part.type === 'text' && part.text.trim() === ''
  if (!Array.isArray(parts) || parts.every(isBlank)) {
    throw new InputError('input.empty', 'An input needs text or an attachment.')
  }
  for (const part of parts) {
    if (!('bytes' in part)) continue
    if (!ArrayBuffer.isView(part.bytes)) {
      throw new InputError('input.invalid', 'The bytes of an attachment have to be a Uint8Array.')
    }
    if (part.bytes.length > MAX_BLOB_BYTES) {
      throw tooLarge(`An attachment has ${part.bytes.length} bytes; the limit is ${MAX_BLOB_BYTES}.`)
    }
  }
  const inline = parts.reduce((sum, part) => sum + ('text' in part ? utf8Length(part.text ?? '') : 0), 0)
  if (inline > MAX_COMMAND_BYTES) {
    throw tooLarge(`The input's text has ${inline} bytes; the limit is ${MAX_COMMAND_BYTES}. Attach it as a file.`)
  }
}

function tooLarge(message: string): InputError {
  return new InputError('input.too-large', message)
}

/** Exact where it matters: a text that is over the limit by its length alone is not encoded. */
function utf8Length(text: string): number {
  return text.length > MAX_COMMAND_BYTES ? text.length : new TextEncoder().encode(text).length
}
