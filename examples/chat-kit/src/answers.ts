import type { ToolCallPart } from '@stepwell/sdk'

export interface Answered {
  readonly id: string
  readonly question: string
  readonly words: readonly string[]
}

/** What a person answered to the questions of a call. Undefined where nobody did. */
export function answersOf({ input, result }: ToolCallPart): readonly Answered[] | undefined {
  if (result?.outcome !== 'ok' || !isObject(result.output) || !isObject(result.output.answers)) return undefined
  const asked = Array.isArray(input?.questions) ? input.questions.filter(isObject) : []
  return Object.entries(result.output.answers).map(([id, answer]) => ({
    id,
    question: String(asked.find((question) => question.id === id)?.question ?? id),
    words: [answer].flat().map(String),
  }))
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
