import type { EventDraft } from './events.ts'
import { defined } from './fields.ts'
import type { Request, RequestKind, Resolution, ResolvedReason } from './requests.ts'

/** The events that resolve requests nobody answered. */
export function resolvedByNobody(
  requests: readonly Request[],
  { runId, reason, note, by }: { runId?: string | undefined; reason: ResolvedReason; note?: string; by?: string },
): EventDraft[] {
  return requests.map(({ id: requestId, kind }) =>
    defined({ type: 'request-resolved', runId, requestId, resolution: unanswered(kind, note), reason, by }),
  )
}

const UNANSWERED: Readonly<Record<RequestKind, Resolution>> = {
  approval: { decision: 'deny' },
  plan: { decision: 'reject' },
  question: { skipped: true },
  'client-tool': { error: 'Nobody answered.' },
}

/** What counts where nobody answered: an approval is denied, a question has no safe default. */
export function unanswered(kind: RequestKind, note?: string): Resolution {
  return defined({ ...UNANSWERED[kind], note })
}
