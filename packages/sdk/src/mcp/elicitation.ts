import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/sdk/types.js'
import { isObject, type JsonObject, type JsonValue, normalise } from '../protocol/json.ts'
import type { Question } from '../protocol/requests.ts'
import { pathText } from '../tools/path-text.ts'
import { toolInputSchema } from '../tools/schema.ts'
import type { InputIssue, ToolContext } from '../tools/tool.ts'
import { DECLINE, type FormField, formField } from './form-field.ts'

/** A field to be asked about, and what was wrong with its last answer. */
interface DueField {
  readonly field: FormField
  readonly problem?: string
}

const CANCELLED: ElicitResult = { action: 'cancel' }
/** As many as one request can hold. */
const QUESTIONS_AT_ONCE = 4
/** How often answers that do not fit are asked for. */
const ROUNDS = 3

/**
 * Puts what a server asks to the person who watches the call, as questions. `cancel` when nobody answers, `decline` when
 * they say so. Rejects when the call is over, or the form cannot be asked.
 */
export async function elicit(
  server: string,
  params: ElicitRequestParams,
  ask: ToolContext['ask'],
): Promise<ElicitResult> {
  if (params.mode === 'url') return elicitVisit(server, params, ask)
  const schema = normalise(params.requestedSchema) as JsonObject
  const intro = `The server "${server}" asks: ${params.message}`
  const fields = fieldsOf(schema)
  if (fields.length === 0) return elicitConsent(intro, 'Accept', ask)
  return elicitForm(intro, schema, fields, ask)
}

async function elicitVisit(
  server: string,
  { url, message }: Extract<ElicitRequestParams, { mode: 'url' }>,
  ask: ToolContext['ask'],
): Promise<ElicitResult> {
  // Anything else may do something when it is opened.
  if (!/^https?:\/\//i.test(url)) return CANCELLED
  return elicitConsent(`The server "${server}" asks you to open ${url}\n${message}`, 'Done', ask)
}

async function elicitConsent(question: string, accept: string, ask: ToolContext['ask']): Promise<ElicitResult> {
  const options = [{ label: accept }, { label: DECLINE }]
  const { answers } = await ask([{ id: 'answer', header: 'Server', question, options }])
  const [answer] = answers.answer ?? []
  if (answer === accept) return { action: 'accept', content: {} }
  return answer === undefined ? CANCELLED : { action: 'decline' }
}

async function elicitForm(
  intro: string,
  schema: JsonObject,
  fields: readonly FormField[],
  ask: ToolContext['ask'],
): Promise<ElicitResult> {
  const form = toolInputSchema<JsonObject>('elicitation', schema)
  const values = new Map<string, JsonValue>()
  let due: readonly DueField[] = fields.map((field) => ({ field }))
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < due.length; i += QUESTIONS_AT_ONCE) {
      const asked = due.slice(i, i + QUESTIONS_AT_ONCE)
      const refusal = await fill(values, intro, asked, ask)
      if (refusal !== undefined) return { action: refusal }
    }
    const content = Object.fromEntries(values)
    const checked = await form.validate(content)
    if (checked.ok) return { action: 'accept', content: content as ElicitResult['content'] }
    due = fields.flatMap((field) => {
      const issue = checked.issues.find(({ path }) => isAbout(path, field.name))
      return issue === undefined ? [] : [{ field, problem: issue.message }]
    })
    // What is required was left out.
    if (due.length === 0) return CANCELLED
  }
  return CANCELLED
}

/** Asks about some fields and keeps their values; gives how the form was refused. One that nobody answers is dismissed. */
async function fill(
  values: Map<string, JsonValue>,
  intro: string,
  asked: readonly DueField[],
  ask: ToolContext['ask'],
): Promise<'decline' | 'cancel' | undefined> {
  const questions = asked.map(({ field: { question }, problem }, i): Question => {
    const lines = [
      ...(i === 0 ? [intro] : []),
      ...(problem ? [`This does not fit: ${problem}`] : []),
      question.question,
    ]
    return { ...question, question: lines.join('\n') }
  })
  const answers = new Map(Object.entries((await ask(questions)).answers))
  const given = asked.map(({ field }) => {
    const texts = answers.get(field.name) ?? []
    return { field, texts: texts.map((text) => text.trim()).filter((text) => text !== '') }
  })
  if (given.every(({ texts }) => texts.length === 0)) return 'cancel'
  for (const { field, texts } of given) {
    const refusal = field.refusal(texts)
    if (refusal !== undefined) return refusal
    const value = field.read(texts)
    if (value === undefined) values.delete(field.name)
    else values.set(field.name, value)
  }
  return undefined
}

function fieldsOf({ properties, required }: JsonObject): FormField[] {
  const names = Array.isArray(required) ? required : []
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) =>
    formField(name, isObject(schema) ? schema : {}, names.includes(name)),
  )
}

function isAbout(path: InputIssue['path'], name: string): boolean {
  const own = pathText([name])
  return path === own || path.startsWith(`${own}.`) || path.startsWith(`${own}[`)
}
