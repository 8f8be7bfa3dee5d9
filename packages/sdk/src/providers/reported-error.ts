import { ProviderError } from '../protocol/errors.ts'
import { streamError } from './errors.ts'
import { redaction } from './redaction.ts'
import type { ReportedFailure } from './reported-failure.ts'

/** What an endpoint reported inside its stream, without the keys of the request's headers. */
export function reportedError(failure: ReportedFailure, headers: Readonly<Record<string, string>>): ProviderError {
  const { provider, reported, code, sentOutput } = failure
  const redact = redaction(headers)
  const clean = (_key: string, value: unknown): unknown => (typeof value === 'string' ? redact(value) : value)
  const said: unknown = JSON.parse(JSON.stringify(reported ?? null), clean)
  if (code !== 'provider.protocol') return streamError(said, { provider, sentOutput })
  return new ProviderError(code, `${provider} sent an event that is no JSON object: ${said}`)
}
