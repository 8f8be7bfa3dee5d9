import { ProviderError, type StepwellError } from '../protocol/errors.ts'

/**
 * The error that `explain` makes of a failure. What tells failures apart is loaded by `explain`, when something failed;
 * where that cannot be loaded either, the failure is taken for a passing one.
 */
export async function explained(
  failure: { readonly provider: string; readonly sentOutput: boolean; readonly cause: unknown },
  explain: () => Promise<StepwellError>,
): Promise<StepwellError> {
  try {
    return await explain()
  } catch {
    const { provider, sentOutput, cause } = failure
    return new ProviderError('provider.unreachable', `The request to ${provider} failed. Check the network`, {
      retryable: true,
      sentOutput,
      cause,
      details: { provider },
    })
  }
}
