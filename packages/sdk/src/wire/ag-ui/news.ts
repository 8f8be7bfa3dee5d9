import type { Resolution } from '../../protocol/requests.ts'
import type { SessionState } from '../../protocol/state.ts'
import type { UserContent } from './client-transcript.ts'
import type { RunInput } from './input.ts'
import { resolutionOf } from './interrupts.ts'
import { isCurrent, knownIds } from './transcript.ts'

/** A message of AG-UI, as the client sent it. */
export interface UserSaid {
  readonly id: string
  readonly role: 'user'
  readonly content: UserContent
}

/** What a client posted that the session does not have. The rest of what it posted is not listened to. */
export interface News {
  /** Oldest first. */
  readonly messages: readonly UserSaid[]
  /** Answers to open requests, and results of the client's own tools. */
  readonly answers: readonly { readonly requestId: string; readonly resolution: Resolution }[]
  /** Whether the client has everything else as the session has it. */
  readonly isCurrent: boolean
}

export function newsOf(input: RunInput, state: SessionState): News {
  const { transcript } = input
  const known = new Set(knownIds(state))
  const messages = transcript.trailing
    .filter((id) => !known.has(id))
    .map((id): UserSaid => ({ id, role: 'user', content: transcript.users.get(id) ?? '' }))
  const isNew = new Set(messages.map(({ id }) => id))
  return { messages, answers: answersIn(input, state), isCurrent: isCurrent(state, transcript, isNew) }
}

/** What is answered already, or was never asked, is no news: somebody else may have been faster. */
function answersIn({ transcript, resume }: RunInput, { pending }: SessionState): News['answers'] {
  return pending.requests.flatMap((request) => {
    const requestId = request.id
    if (request.kind === 'client-tool') {
      const result = transcript.results.get(request.callId ?? '')
      if (result === undefined) return []
      const { content, error } = result
      return [{ requestId, resolution: error === undefined ? { output: content } : { error } }]
    }
    const entry = resume.find(({ interruptId }) => interruptId === requestId)
    return entry === undefined ? [] : [{ requestId, resolution: resolutionOf(request, entry) }]
  })
}
