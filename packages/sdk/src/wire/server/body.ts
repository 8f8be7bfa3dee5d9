import * as z from 'zod/mini'
import { InputError, WireError } from '../../protocol/errors.ts'
import { isObject, type JsonObject, normalise } from '../../protocol/json.ts'
import { badRequest } from './errors.ts'

/** `application/json; charset=utf-8` without what follows the type, in lower case. */
export function mediaTypeOf(request: Request): string {
  return (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/**
 * The body. Rejects with `input.too-large` before more than `maxBytes` of it are held, and with `wire.bad-request` when its
 * sender leaves.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = (): InputError =>
    new InputError('input.too-large', `The body has more than ${maxBytes} bytes.`, { details: { maxBytes } })
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge()
  if (request.body === null) return new Uint8Array()
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read().catch(cutOff)
    if (done) break
    size += value.length
    if (size > maxBytes) {
      reader.cancel().catch(() => {})
      throw tooLarge()
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** It happens every day: nothing that the log of a server has to tell of. */
function cutOff(): never {
  throw badRequest('The body was cut off.')
}

/** A JSON object. Rejects with `wire.content-type`, `input.too-large` and `wire.bad-request`. */
export async function readJson(request: Request, maxBytes: number): Promise<JsonObject> {
  if (mediaTypeOf(request) !== 'application/json') {
    throw new WireError('wire.content-type', 'The body has to be application/json.')
  }
  const bytes = await readBytes(request, maxBytes)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw badRequest('The body is no JSON in UTF-8.')
  }
  if (!isObject(value)) throw badRequest('The body has to be a JSON object.')
  return value
}

/** The value in the form of the schema, as it can be stored. Throws `wire.bad-request` with where it does not fit. */
export function checked<T>(schema: z.ZodMiniType<T>, value: JsonObject): JsonObject {
  const result = z.safeParse(schema, value)
  if (result.success) return normalise(result.data) as JsonObject
  const problems = result.error.issues.slice(0, 10).map(({ path, message }) => ({
    path: path.map(String).join('.'),
    message,
  }))
  const places = [...new Set(problems.map(({ path }) => path))].join(', ')
  throw badRequest(`The body does not have the form it should have${places && `: look at ${places}`}.`, { problems })
}
