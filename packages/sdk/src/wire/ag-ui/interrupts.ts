import { isoTime } from '../../protocol/clock.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import type { Request, Resolution } from '../../protocol/requests.ts'
import type { AGUIInterrupt } from './events.ts'

/** An answer as clients send it. `cancelled`: the person gave none. */
export interface ResumeEntry {
  readonly interruptId: string
  readonly status: 'resolved' | 'cancelled'
  readonly payload?: unknown
}

const REASONS = { approval: 'tool_call', plan: 'confirmation', question: 'input_required' } as const

/** The request as a client shows it. Undefined for a tool of the client: its result is the answer. */
export function interruptOf(request: Request): AGUIInterrupt | undefined {
  const { id, kind, callId, deadline } = request
  if (kind === 'client-tool') return undefined
  const message = messageOf(request)
  return {
    id,
    reason: REASONS[kind],
    ...(message !== undefined && { message }),
    ...(callId !== undefined && { toolCallId: callId }),
    responseSchema: kind === 'question' ? answersSchema(request) : decisionSchema(request),
    ...(deadline !== undefined && { expiresAt: isoTime(deadline) }),
    metadata: { stepwell: detailsOf(request) },
  }
}

/** The answer as the session takes it. What cannot be one is refused there: nothing is allowed by mistake. */
export function resolutionOf(request: Request, { status, payload }: ResumeEntry): Resolution {
  const given = isObject(payload) ? payload : {}
  const note = typeof given.note === 'string' ? { note: given.note } : {}
  if (request.kind === 'question') {
    return status === 'cancelled' ? { skipped: true } : { ...answersOf(request, payload), ...note }
  }
  const kind = request.kind === 'plan' ? 'plan' : 'approval'
  if (status === 'cancelled') return { decision: kind === 'plan' ? 'reject' : 'deny' }
  return { ...decisionOf(kind, payload, given), ...note }
}

function decisionOf(kind: 'approval' | 'plan', payload: unknown, given: JsonObject): Resolution {
  const { approved = payload, editedArgs } = given
  const decision = typeof given.decision === 'string' ? given.decision : yesOrNo(kind, approved, given)
  return {
    ...(decision !== undefined && { decision: decision as NonNullable<Resolution['decision']> }),
    ...(isObject(editedArgs) && { editedInput: editedArgs }),
  }
}

function yesOrNo(kind: 'approval' | 'plan', approved: unknown, { note }: JsonObject): Resolution['decision'] {
  if (typeof approved !== 'boolean') return undefined
  if (kind === 'approval') return approved ? 'allow-once' : 'deny'
  if (approved) return 'approve'
  return typeof note === 'string' && note.trim() !== '' ? 'revise' : 'reject'
}

/** By question id. A text stands for a list of one, and answers the only question when it comes alone. */
function answersOf({ questions = [] }: Request, payload: unknown): Resolution {
  const [only] = questions
  const isAlone = questions.length === 1 && (typeof payload === 'string' || Array.isArray(payload))
  const given = isAlone && only !== undefined ? { [only.id]: payload as JsonValue } : payload
  if (!isObject(given)) return {}
  const isAnswer = (id: string): boolean =>
    (id !== 'note' && id !== 'skipped') || questions.some((one) => one.id === id)
  const answers = Object.entries(given).flatMap(([id, answer]) =>
    isAnswer(id) ? [[id, (Array.isArray(answer) ? answer : [answer]) as string[]] as const] : [],
  )
  return { answers: Object.fromEntries(answers), ...(given.skipped === true && { skipped: true }) }
}

function messageOf({ description, tool, questions, reason }: Request): string | undefined {
  const [question] = questions ?? []
  return description?.title ?? question?.question ?? reason ?? tool?.name
}

function decisionSchema({ kind, options = [] }: Request): JsonObject {
  return {
    type: 'object',
    properties: {
      approved: { type: 'boolean' },
      decision: { type: 'string', enum: [...options] },
      note: { type: 'string' },
      ...(kind === 'approval' && { editedArgs: { type: 'object' } }),
    },
    anyOf: [{ required: ['approved'] }, { required: ['decision'] }],
  }
}

function answersSchema({ questions = [] }: Request): JsonObject {
  const properties = questions.map(({ id, header, question, options, multiple }) => {
    const text = { type: 'string', examples: options.map(({ label }) => label) }
    const about = { title: header, description: question }
    return [id, multiple ? { ...about, type: 'array', items: text } : { ...about, ...text }] as const
  })
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** What has no field of its own in AG-UI. */
function detailsOf({ id: _id, callId: _callId, path: _path, deadline: _deadline, ...details }: Request): JsonObject {
  return details as unknown as JsonObject
}
