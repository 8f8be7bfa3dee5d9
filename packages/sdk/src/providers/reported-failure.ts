/**
 * A failure that an endpoint reported inside its stream, as it said it. `translated` makes the `ProviderError` of it: what
 * tells failures apart is loaded only when there is one.
 */
export class ReportedFailure extends Error {
  readonly reported: unknown
  readonly context: { readonly provider: string; readonly sentOutput: boolean }

  constructor(reported: unknown, context: ReportedFailure['context']) {
    super(`${context.provider} reported a failure`)
    this.reported = reported
    this.context = context
  }
}
