import { isObject, type JsonObject, normalise } from '../../protocol/json.ts'
import type { Answers, Request, Resolution } from '../../protocol/requests.ts'
import type { PostedTool } from './post.ts'
import { isAside } from './questions.ts'

export interface PostedAnswer {
  readonly requestId: string
  readonly resolution: Resolution
}

/** The answers of a page to requests that are open. Whatever else it says about calls is not asked for. */
export function answersTo(requests: readonly Request[], tools: readonly PostedTool[]): PostedAnswer[] {
  return requests.flatMap((request) => {
    const callId = isAside(request) ? request.id : request.callId
    const tool = tools.find(({ toolCallId }) => toolCallId === callId)
    const resolution = tool && resolutionOf(request, tool)
    return resolution === undefined ? [] : [{ requestId: request.id, resolution }]
  })
}

function resolutionOf(request: Request, tool: PostedTool): Resolution | undefined {
  if (request.kind === 'approval' || request.kind === 'plan') return decision(request, tool)
  const { state, output = null, errorText } = tool
  if (state === 'output-available') {
    return request.kind === 'question' ? answers(request, output) : { output: normalise(output) }
  }
  if (state !== 'output-error') return undefined
  if (request.kind === 'question') return { skipped: true }
  return { error: typeof errorText === 'string' ? errorText : 'The page gave no reason.' }
}

/** A plan that is denied with a reason is sent back with it. */
function decision({ id, kind }: Request, { state, approval }: PostedTool): Resolution | undefined {
  if (state !== 'approval-responded' || !isObject(approval) || approval.id !== id) return undefined
  const { approved, reason } = approval
  if (typeof approved !== 'boolean') return undefined
  const note = typeof reason === 'string' && reason !== '' ? { note: reason } : {}
  if (kind === 'approval') return { decision: approved ? 'allow-once' : 'deny', ...note }
  return { decision: approved ? 'approve' : 'note' in note ? 'revise' : 'reject', ...note }
}

/** `{ answers, skipped? }`, the answers alone, or the text of the only one. What does not fit is refused by the session. */
function answers({ questions = [] }: Request, output: unknown): Resolution {
  const [only] = questions
  if (typeof output === 'string' && only !== undefined && questions.length === 1) {
    return { answers: { [only.id]: [output] } }
  }
  if (!isObject(output)) return {}
  const { answers: inner, skipped, ...rest } = normalise(output) as JsonObject
  const given = Object.entries(isObject(inner) ? inner : rest)
  const lists = given.map(([id, answer]) => [id, typeof answer === 'string' ? [answer] : answer])
  return { answers: Object.fromEntries(lists) as Answers, ...(skipped === true && { skipped }) }
}
