import { InputError } from '../protocol/errors.ts'
import { normaliseText } from '../protocol/json.ts'
import type { UserPart } from '../protocol/messages.ts'
import type { BytesPart, InputContent } from '../protocol/session.ts'
import type { SessionStore } from '../stores/store.ts'
import { MAX_COMMAND_BYTES } from './defaults.ts'
import { rare } from './late.ts'

export interface InputPlace {
  readonly store: SessionStore
  readonly ready: Promise<void>
}

/** The input as it is stored: bytes become blobs before it is accepted. Throws an `InputError` for one that cannot be. */
export async function storedInput(input: InputContent, sessionId: string, place: InputPlace): Promise<UserPart[]> {
  if (typeof input !== 'string') return (await rare()).storedParts(input, sessionId, place)
  const part = { type: 'text', text: input } as const
  checkTexts([part])
  await place.ready
  return [{ ...part, text: normaliseText(input) }]
}

/** Throws `input.empty` and `input.too-large`. */
export function checkTexts(parts: readonly (UserPart | BytesPart)[]): void {
  if (parts.every((part) => part.type === 'text' && part.text.trim() === '')) {
    throw new InputError('input.empty', 'An input needs text or an attachment.')
  }
  const bytes = parts.reduce((sum, part) => sum + ('text' in part ? utf8Length(part.text ?? '') : 0), 0)
  if (bytes > MAX_COMMAND_BYTES) {
    const hint = `the limit is ${MAX_COMMAND_BYTES}. Attach it as a file.`
    throw new InputError('input.too-large', `The input's text has ${bytes} bytes; ${hint}`)
  }
}

/** Exact where it matters: a text that is over the limit by its length alone is not encoded. */
function utf8Length(text: string): number {
  return text.length > MAX_COMMAND_BYTES ? text.length : new TextEncoder().encode(text).length
}
