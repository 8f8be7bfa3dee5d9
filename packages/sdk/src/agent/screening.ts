import { ReplyScreen } from '../guards/screen.ts'
import type { CompliancePolicy } from '../protocol/compliance.ts'
import { StepwellError, thrownText } from '../protocol/errors.ts'
import type { ModelEvent } from '../providers/provider.ts'
import type { Attempt } from './attempt-record.ts'
import type { RunScope } from './run-scope.ts'
import { ScreenedReply } from './screened-reply.ts'

/** The policy between the provider and the log: nothing of a reply is sequenced before it was asked. */
export interface Screening {
  /** What may go on of one read. */
  take(events: readonly ModelEvent[]): ModelEvent[]
  /** What was held back, of a reply that ends without its end. */
  end(): ModelEvent[]
  readonly blocked: Required<Pick<Attempt, 'cut' | 'failure'>> | undefined
  readonly warnings: { readonly code: string; readonly message: string }[]
}

export function screening(run: RunScope, policy: CompliancePolicy): Screening {
  const { principal } = run.state.row
  const screen = new ReplyScreen(policy, {
    sessionId: run.state.id,
    ...(principal !== undefined && { principal }),
    ...(run.by !== undefined && { by: run.by }),
  })
  const screened = new ScreenedReply(screen)
  /** A policy that fails lets nothing through. */
  let failed: string | undefined
  const unlessFailed = (screen: () => ModelEvent[]): ModelEvent[] => {
    if (failed !== undefined) return []
    try {
      return screen()
    } catch (thrown) {
      failed = `The reply could not be checked: ${thrownText(thrown)}`
      return []
    }
  }
  return {
    take: (events) => unlessFailed(() => screened.take(events)),
    end: () => unlessFailed(() => screened.end()),
    get blocked() {
      const reason = failed ?? screen.blocked
      if (reason === undefined) return undefined
      return { cut: 'compliance' as const, failure: new StepwellError('compliance.blocked', reason) }
    },
    get warnings() {
      return [...screen.masked].map((message) => ({ code: 'reply.masked', message }))
    },
  }
}
