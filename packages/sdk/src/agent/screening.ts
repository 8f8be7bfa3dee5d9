import { ReplyScreen } from '../guards/screen.ts'
import type { CompliancePolicy } from '../protocol/compliance.ts'
import { StepwellError } from '../protocol/errors.ts'
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
  readonly blocked: Pick<Attempt, 'cut' | 'failure'> | undefined
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
  return {
    take: (events) => screened.take(events),
    end: () => screened.end(),
    get blocked() {
      if (screen.blocked === undefined) return undefined
      return { cut: 'compliance' as const, failure: new StepwellError('compliance.blocked', screen.blocked) }
    },
    get warnings() {
      return [...screen.masked].map((message) => ({ code: 'reply.masked', message }))
    },
  }
}
