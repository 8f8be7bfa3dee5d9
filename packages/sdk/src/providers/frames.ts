import { ProviderError } from '../protocol/errors.ts'

/** One server-sent event. */
export interface SseFrame {
  readonly event?: string | undefined
  readonly data: string
  /** The body ended inside this event, so its data may be incomplete. */
  readonly cut?: true
}

/**
 * The JSON object in a frame, or undefined for what carries none: heartbeats (an empty or `:` payload, `ping`) and a
 * last frame that the end of the body cut in two. Throws `provider.protocol` for anything else that is no JSON object.
 */
export function frameObject({ data, cut }: SseFrame, provider: string): Record<string, unknown> | undefined {
  const value = parsed(data)
  if (isObject(value)) return value
  if (value === null || (value === undefined && (cut || isHeartbeat(data)))) return undefined
  const start = data.slice(0, 200)
  throw new ProviderError('provider.protocol', `${provider} sent an event that is no JSON object: ${start}`)
}

/** Undefined for text that is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isHeartbeat(data: string): boolean {
  const payload = data.trim()
  return payload === '' || payload.startsWith(':') || payload === 'ping' || payload === 'keepalive'
}
