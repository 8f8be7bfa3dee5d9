import { isObject } from './json.ts'
import type { Answers, Request, Resolution } from './requests.ts'

/** The answer as the log keeps it, or what is wrong with it. An edited input is checked by its tool's schema elsewhere. */
export function readResolution(
  request: Request,
  given: Resolution,
): { readonly resolution: Resolution } | { readonly problem: string } {
  if (!isObject(given)) return { problem: 'an answer is a decision or an object' }
  if (given.note !== undefined && typeof given.note !== 'string') return { problem: 'a note is a text' }
  const note = given.note === undefined ? {} : { note: given.note }
  switch (request.kind) {
    case 'approval':
    case 'plan':
      return readDecision(request, given, note)
    case 'question':
      return readAnswers(request, given, note)
    case 'client-tool':
      if (typeof given.error === 'string') return { resolution: { error: given.error, ...note } }
      if (given.output === undefined) return { problem: 'a client tool is answered with { output } or { error }' }
      return { resolution: { output: given.output, ...note } }
  }
}

type Note = Pick<Resolution, 'note'>

function readDecision({ options = [] }: Request, given: Resolution, note: Note): ReturnType<typeof readResolution> {
  const { decision, editedInput } = given
  if (decision === undefined || !options.includes(decision)) {
    return { problem: `its decision is one of ${options.join(', ')}` }
  }
  if (decision === 'revise' && !note.note?.trim()) return { problem: '"revise" needs a note that says what to change' }
  if (editedInput === undefined) return { resolution: { decision, ...note } }
  if (!decision.startsWith('allow')) return { problem: `"${decision}" takes no edited input` }
  if (!isObject(editedInput)) return { problem: 'an edited input is an object' }
  return { resolution: { decision, editedInput, ...note } }
}

function readAnswers({ questions = [] }: Request, given: Resolution, note: Note): ReturnType<typeof readResolution> {
  const answers: Record<string, readonly string[]> = {}
  if (given.answers !== undefined && !isObject(given.answers)) return { problem: 'answers are keyed by question id' }
  for (const [id, answer] of Object.entries(given.answers ?? {}) as [string, unknown][]) {
    const question = questions.find((asked) => asked.id === id)
    if (question === undefined) return { problem: `there is no question "${id}"` }
    if (!Array.isArray(answer) || !answer.every((text) => typeof text === 'string')) {
      return { problem: `the answer to "${id}" is a list of texts` }
    }
    if (answer.length > 1 && !question.multiple) return { problem: `"${id}" takes one answer` }
    if (answer.length > 0) answers[id] = answer
  }
  const isWhole = questions.every(({ id }) => Object.hasOwn(answers, id))
  if (!isWhole && given.answers === undefined && given.skipped !== true) {
    return { problem: 'questions are answered with { answers } or { skipped: true }' }
  }
  const kept: Answers = answers
  return { resolution: { answers: kept, ...(!isWhole && { skipped: true }), ...note } }
}
