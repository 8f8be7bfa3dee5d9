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
export function frameObject(frame: SseFrame, provider: string): Record<string, unknown> | undefined {
  const { data } = frame
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    if (frame.cut || isHeartbeat(data)) return undefined
    throw new ProviderError('provider.protocol', `${provider} sent an event that is no JSON: ${data.slice(0, 200)}`)
  }
  if (isObject(value)) return value
  if (value === null) return undefined
  throw new ProviderError(
    'provider.protocol',
    `${provider} sent an event that is no JSON object: ${data.slice(0, 200)}`,
  )
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isHeartbeat(data: string): boolean {
  const payload = data.trim()
  return payload === '' || payload.startsWith(':') || payload === 'ping' || payload === 'keepalive'
}
