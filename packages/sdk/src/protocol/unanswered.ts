import type { RequestKind, Resolution } from './requests.ts'

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
