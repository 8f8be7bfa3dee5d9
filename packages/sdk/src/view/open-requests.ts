import type { ErrorInfo } from '../protocol/errors.ts'
import type { Request } from '../protocol/requests.ts'
import type { AgentSession } from '../protocol/session.ts'

/** An open request, and what became of the answer that was given here. */
export interface RequestItem {
  readonly request: Request
  /** `answering`: an answer is on its way. */
  readonly status: 'open' | 'answering'
  /** Why the last answer was not taken. */
  readonly error?: ErrorInfo | undefined
}

export interface OpenRequests {
  /** The same array as long as nothing of it changes. */
  look(): readonly RequestItem[]
  answered(requestId: string, answer: Omit<RequestItem, 'request'>): void
}

/** The requests of a session, and the answers given here for as long as they are open. */
export function openRequests(session: AgentSession): OpenRequests {
  let seen: readonly Request[] | undefined
  let items: readonly RequestItem[] = []

  function look(): readonly RequestItem[] {
    const { requests } = session.state.pending
    if (requests !== seen) {
      items = requests.map((request): RequestItem => {
        const known = items.find((item) => item.request.id === request.id)
        return known?.request === request ? known : { status: 'open', ...known, request }
      })
      seen = requests
    }
    return items
  }

  return {
    look,
    answered(requestId, answer) {
      items = look().map((item) => (item.request.id === requestId ? { ...answer, request: item.request } : item))
    },
  }
}
