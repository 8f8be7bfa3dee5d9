import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import type { Question, QuestionOption } from '../protocol/requests.ts'
import { truncateText } from '../tools/truncate.ts'

export const DECLINE = 'Decline'
const CANCEL = 'Cancel'
const LEAVE_OUT = 'Leave out'
const MAX_HEADER = 12
const MAX_OPTIONS = 4

/** A field of a form that a server wants filled in, as a question. */
export interface FormField {
  readonly name: string
  readonly question: Question
  /** What the answers mean; undefined where the field is left out. What is no value of it stays as it was written. */
  read(answers: readonly string[]): JsonValue | undefined
  /** Whether the answers refuse the whole form. */
  refusal(answers: readonly string[]): 'decline' | 'cancel' | undefined
}

/** A value the field offers, and what people are shown for it. */
interface Choice {
  readonly label: string
  readonly value: JsonValue
}

/** `schema`: one property of a form's schema; `isRequired`: whether it may be left out. */
export function formField(name: string, schema: JsonObject, isRequired: boolean): FormField {
  const { title, description } = schema
  const choices = choicesOf(schema)
  const isList = schema.type === 'array'
  const fallback = schema.default
  const label = typeof title === 'string' ? title : name
  const told = typeof description === 'string' ? `${label}: ${description}` : label
  const options = optionsOf(choices, fallback, isRequired)
  const unshown = choices.filter((choice) => !options.some((option) => option.label === choice.label))

  const isOwn = (answer: string): boolean => choices.some(({ label }) => label === answer)

  function read(answers: readonly string[]): JsonValue | undefined {
    const [first] = answers
    if (first === undefined) return fallback
    if (first === LEAVE_OUT && !isOwn(first)) return undefined
    return isList ? answers.map(value) : value(first)
  }

  function refusal(answers: readonly string[]): 'decline' | 'cancel' | undefined {
    if (answers.includes(CANCEL) && !isOwn(CANCEL)) return 'cancel'
    return answers.includes(DECLINE) && !isOwn(DECLINE) ? 'decline' : undefined
  }

  function value(answer: string): JsonValue {
    const same = (text: JsonValue): boolean => String(text).toLowerCase() === answer.toLowerCase()
    const choice = choices.find(({ label, value }) => same(label) || same(value))
    if (choice !== undefined) return choice.value
    const isNumber = schema.type === 'number' || schema.type === 'integer'
    return isNumber && Number.isFinite(Number(answer)) ? Number(answer) : answer
  }

  return {
    name,
    question: {
      id: name,
      header: truncateText(label, MAX_HEADER),
      question: [told, ...limitsOf(schema), ...unshownText(unshown)].join('\n'),
      options,
      ...(isList && { multiple: true }),
    },
    read,
    refusal,
  }
}

function choicesOf(schema: JsonObject): readonly Choice[] {
  if (schema.type === 'boolean') {
    return [
      { label: 'Yes', value: true },
      { label: 'No', value: false },
    ]
  }
  const { oneOf, anyOf, enum: values, enumNames } = isObject(schema.items) ? schema.items : schema
  const titled = oneOf ?? anyOf
  if (Array.isArray(titled)) {
    return titled.filter(isObject).flatMap(({ const: value, title }) => {
      return value === undefined ? [] : [{ label: typeof title === 'string' ? title : String(value), value }]
    })
  }
  if (!Array.isArray(values)) return []
  const names = Array.isArray(enumNames) ? enumNames : []
  return values.map((value, i) => ({ label: String(names[i] ?? value), value }))
}

/** 2 to 4: the field's own values first. Any other answer can be written. */
function optionsOf(
  choices: readonly Choice[],
  fallback: JsonValue | undefined,
  isRequired: boolean,
): readonly QuestionOption[] {
  const isPlain = typeof fallback === 'string' || typeof fallback === 'number'
  const own = choices.length > 0 ? choices.map(({ label }) => label) : isPlain ? [String(fallback)] : []
  const more = [...(isRequired || fallback !== undefined ? [] : [LEAVE_OUT]), DECLINE, CANCEL]
  const labels = own.slice(0, MAX_OPTIONS)
  for (const label of more.filter((label) => !own.includes(label))) {
    // The last one is only there where there would be one option.
    if (labels.length < (label === CANCEL ? 2 : MAX_OPTIONS)) labels.push(label)
  }
  return labels.map((label) => ({ label }))
}

function limitsOf({ format, minimum, maximum, minLength, maxLength, minItems, maxItems }: JsonObject): string[] {
  const range = (from: JsonValue | undefined, to: JsonValue | undefined, unit: string): string[] => {
    if (from === undefined && to === undefined) return []
    const words = [...(from === undefined ? [] : [`at least ${from}`]), ...(to === undefined ? [] : [`at most ${to}`])]
    return [`${words.join(' and ')}${unit}`]
  }
  const limits = [
    ...(typeof format === 'string' ? [format] : []),
    ...range(minimum, maximum, ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' choices'),
  ]
  return limits.length > 0 ? [`(${limits.join(', ')})`] : []
}

function unshownText(unshown: readonly Choice[]): string[] {
  return unshown.length > 0 ? [`Or write: ${unshown.map(({ label }) => label).join(', ')}.`] : []
}
