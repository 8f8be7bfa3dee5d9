import type { RespondToToolApprovalOptions, ToolApprovalOption, ToolCallMessagePart } from '@assistant-ui/react'
import type { ApprovalExit, PlanExit, Question, Request, Resolution } from '@stepwell/sdk'

type Approval = NonNullable<ToolCallMessagePart['approval']>
type Decision = ApprovalExit | PlanExit

/** How assistant-ui names our decisions. A leading `_` is one of which it only knows the label. */
const KINDS: Readonly<Record<Decision, Omit<ToolApprovalOption, 'id'>>> = {
  'allow-once': { kind: 'allow-once', label: 'Allow once' },
  'allow-session': { kind: 'allow-always', label: 'Allow for this session' },
  'allow-always': { kind: 'allow-always', label: 'Always allow' },
  deny: { kind: 'reject-once', label: 'Deny' },
  approve: { kind: 'allow-once', label: 'Approve' },
  revise: { kind: '_revise', label: 'Revise' },
  reject: { kind: 'reject-once', label: 'Reject' },
}

/** Undefined for a tool of the page, which is given a result and not an answer. */
export function approvalOf(request: Request): Approval | undefined {
  const { id, kind, options = [], questions = [], suggestedRule, description, reason } = request
  if (kind === 'client-tool') return undefined
  if (kind === 'question') {
    return { id, display: 'questions', dismissible: true, questions: questions.map(questionOf) }
  }
  const prompt = description?.title ?? reason
  return {
    id,
    ...(prompt !== undefined && { prompt }),
    ...(options.includes('revise') && { allowFreeform: true }),
    options: options.map((option) => {
      const grants = KINDS[option].kind === 'allow-always' && suggestedRule !== undefined && { grants: [suggestedRule] }
      return { id: option, ...KINDS[option], ...grants }
    }),
  }
}

function questionOf({ id, header, question, options, multiple }: Question) {
  return {
    id,
    header,
    prompt: question,
    options: options.map(({ label, description }) => ({ id: label, label, ...(description && { description }) })),
    ...(multiple && { multiple }),
    allowFreeform: true,
  }
}

export function resolutionOf(request: Request, response: RespondToToolApprovalOptions): Resolution {
  const { approved, optionId, text, reason, answers } = response
  const said = reason ?? text
  const note = said !== undefined && said !== '' && { note: said }
  if (request.kind === 'question') {
    return answers === undefined ? { skipped: true, ...note } : { answers: answersOf(request, answers), ...note }
  }
  const { options = [] } = request
  const decision =
    options.find((option) => option === optionId) ??
    options.find((option) => KINDS[option].kind === (approved ? 'allow-once' : 'reject-once'))
  return { ...(decision !== undefined && { decision }), ...note }
}

function answersOf(
  { questions = [] }: Request,
  answers: NonNullable<RespondToToolApprovalOptions['answers']>,
): NonNullable<Resolution['answers']> {
  const given = questions.flatMap(({ id, multiple }): [string, string[]][] => {
    const { optionIds = [], text = '' } = (Object.hasOwn(answers, id) && answers[id]) || {}
    // One answer is one answer: their own words are the more telling ones.
    const said = text === '' ? [...optionIds] : multiple ? [...optionIds, text] : [text]
    return said.length === 0 ? [] : [[id, said]]
  })
  return Object.fromEntries(given)
}
