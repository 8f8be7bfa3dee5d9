import { type ErrorCode, ProviderError } from '../protocol/errors.ts'

/**
 * A failure as an endpoint reported it inside its stream. `translated` throws what it really is: what tells failures
 * apart is loaded only when there is one. Where that cannot be loaded either, it is taken for a passing failure.
 */
export class ReportedFailure extends ProviderError {
  readonly provider: string
  readonly reported: unknown

  constructor(provider: string, reported: unknown, sentOutput: boolean, code: ErrorCode = 'provider.overloaded') {
    super(code, `${provider} reported a failure`, { retryable: true, sentOutput, details: { provider } })
    this.provider = provider
    this.reported = reported
  }
}
