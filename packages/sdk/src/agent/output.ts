import { StepwellError, ToolError, thrownText } from '../protocol/errors.ts'
import { type JsonObject, type JsonValue, normalise } from '../protocol/json.ts'
import type { Message } from '../protocol/messages.ts'
import type { OutputSchema } from '../protocol/output.ts'
import type { SchemaSource } from '../protocol/session.ts'
import { messageText } from '../protocol/text.ts'
import { type JsonSchema, toolInputSchema } from '../tools/schema.ts'
import { openCalls } from './call-result.ts'
import { OUTPUT_REASKS } from './defaults.ts'
import type { Ending, RunScope } from './run-scope.ts'
import { checkOutput, outputReminder } from './structured-output.ts'

/** The schema as it is recorded and sent. Rejects with `tool.invalid-schema`, and with `tool.missing-zod`. */
export async function outputSchema(source: SchemaSource): Promise<OutputSchema> {
  try {
    return { schema: await toolInputSchema('output', source as JsonSchema).jsonSchema() }
  } catch (thrown) {
    const code = thrown instanceof StepwellError ? thrown.code : 'tool.invalid-schema'
    throw new ToolError(code, `The output schema cannot be used: ${thrownText(thrown)}`, { cause: thrown })
  }
}

/** How a run ends whose reply has to fit a schema; undefined when the model is asked again. */
export async function outputEnding(run: RunScope, { schema, name }: OutputSchema): Promise<Ending | undefined> {
  const fitting = toolInputSchema(name ?? 'output', schema as JsonSchema)
  const [last, ...more] = lastTexts(run.state.history)
  let checked = await checkOutput(fitting, last)
  for (const text of more) if (!checked.ok) checked = await checkOutput(fitting, text)
  if (checked.ok) return { reason: 'stop', output: normalise(checked.value) }
  if (run.asked.output++ < OUTPUT_REASKS) {
    run.notice('output.invalid', 'The reply did not fit the schema; the model was asked again.')
    run.tellModel(outputReminder(checked.issues))
    return undefined
  }
  const details: JsonValue = checked.issues.map(({ path, message }): JsonObject => ({ path, message }))
  const error = new StepwellError(
    'output.invalid',
    'The reply does not fit the schema, also after it was asked for again.',
    { details },
  )
  return { reason: 'error', error: error.toJSON() }
}

/** The last reply's text, and where that goes on after a pause, all of it. */
function lastTexts(history: readonly Message[]): readonly [string, ...string[]] {
  const end = history.findLastIndex(({ role }) => role === 'assistant')
  const last = history[end]
  if (last === undefined) return ['']
  let whole = messageText(last)
  for (let i = end - 1; i >= 0; i--) {
    const before = history[i]
    // Only a pause has two replies of a run in a row without a call between them.
    if (before?.role !== 'assistant' || before.runId !== last.runId || openCalls(before).length > 0) break
    whole = messageText(before) + whole
  }
  return [messageText(last), whole]
}
