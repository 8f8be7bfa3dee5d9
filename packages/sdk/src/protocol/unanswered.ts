import type { EventDraft } from './events.ts'
import type { Request, RequestKind, Resolution, ResolvedReason } from './requests.ts'

/** The events that resolve requests nobody answered. */
export function resolvedByNobody(
  requests: readonly Request[],
  { runId, reason, note, by }: { runId?: string | undefined; reason: ResolvedReason; note?: string; by?: string },
): EventDraft[] {
  return requests.map(({ id, kind }) => ({
    type: 'request-resolved',
    ...(runId !== undefined && { runId }),
    requestId: id,
    resolution: unanswered(kind, note),
    reason,
    ...(by !== undefined && { by }),
  }))
}

/** What counts where nobody answered: an approval is denied, a question has no safe default. */
export function unanswered(kind: RequestKind, note?: string): Resolution {
  const said = note === undefined ? {} : { note }
  switch (kind) {
    case 'approval':
      return { decision: 'deny', ...said }
    case 'plan':
      return { decision: 'reject', ...said }
    case 'question':
      return { skipped: true, ...said }
    case 'client-tool':
      return { error: 'Nobody answered.', ...said }
  }
}
