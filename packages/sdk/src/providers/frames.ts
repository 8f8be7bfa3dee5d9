import { isObject, type JsonObject } from '../protocol/json.ts'
import { parsed } from '../protocol/parsed.ts'
import { ReportedFailure } from './reported-failure.ts'

/** One server-sent event. */
export interface SseFrame {
  readonly event?: string | undefined
  readonly data: string
  /** The body ended inside this event, so its data may be incomplete. */
  readonly cut?: true
}

const HEARTBEAT = /^\s*(:.*|ping|keepalive)?\s*$/s

/**
 * The JSON object in a frame, or undefined for what carries none: heartbeats (an empty or `:` payload, `ping`) and a
 * last frame that the end of the body cut in two. Throws `provider.protocol` for anything else that is no JSON object.
 */
export function frameObject({ data, cut }: SseFrame, provider: string): JsonObject | undefined {
  const value = parsed(data)
  if (isObject(value)) return value
  if (value === null || (value === undefined && (cut || HEARTBEAT.test(data)))) return undefined
  throw new ReportedFailure(provider, data.slice(0, 200), false, 'provider.protocol')
}

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** A text; an empty one for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
