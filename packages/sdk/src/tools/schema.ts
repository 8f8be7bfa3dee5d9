import type { JsonObject } from '../protocol/json.ts'
import { invalidSchema } from './invalid-schema.ts'
import { checkedJsonSchema } from './json-schema.ts'
import { rare } from './late.ts'
import { type JsonSchemaConverter, type StandardProps, type StandardSchema, standardProps } from './standard-schema.ts'
import type { ToolInputSchema } from './tool.ts'

/** A JSON Schema as it is. */
export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * Makes a zod 4, zod/mini or other Standard Schema, or a JSON Schema, ready for use.
 *
 * Throws `tool.invalid-schema` for what is no schema. Whether a zod schema can be told to a model is known when its
 * JSON Schema is first asked for: that rejects with `tool.invalid-schema`, or `tool.missing-zod`.
 */
export function toolInputSchema<Input>(
  toolName: string,
  schema: StandardSchema<Input> | JsonSchema,
): ToolInputSchema<Input> {
  const props = standardProps(schema)
  let jsonSchema: () => Promise<JsonObject>
  if (props === undefined) {
    const json = checkedJsonSchema(toolName, schema, true)
    jsonSchema = async () => json
  } else {
    checkConvertible(toolName, schema, props)
    jsonSchema = once(() => convert(toolName, schema, props))
  }
  const validator = once(async () => {
    const { jsonValidator } = await import('./json-validator.ts')
    return jsonValidator(await jsonSchema(), props ? undefined : (schema as JsonSchema).$schema)
  })
  return {
    jsonSchema,
    async validate(input) {
      const check = props?.validate ?? (await validator())
      const result = await check(input)
      if (result.issues === undefined) return { ok: true, value: result.value as Input }
      const { inputIssue } = await rare()
      return { ok: false, issues: result.issues.map(inputIssue) }
    },
  }
}

function checkConvertible(toolName: string, schema: unknown, props: StandardProps): void {
  if (props.jsonSchema?.input !== undefined) return
  if (props.vendor !== 'zod') {
    throw invalidSchema(
      toolName,
      [],
      `"${props.vendor}" offers no JSON Schema for it. Convert it and pass the JSON Schema.`,
    )
  }
  if (!('_zod' in (schema as object))) {
    throw invalidSchema(toolName, [], 'it is made with zod 3. Use zod 4: import it from "zod/v4" or upgrade.')
  }
}

async function convert(toolName: string, schema: unknown, props: StandardProps): Promise<JsonObject> {
  const converter = props.jsonSchema?.input ?? (await zodConverter(toolName, schema))
  let json: unknown
  try {
    json = converter({ target: 'draft-2020-12' })
  } catch (error) {
    throw (await rare()).unrepresentable(toolName, converter, error)
  }
  return checkedJsonSchema(toolName, json, false)
}

async function zodConverter(toolName: string, schema: unknown): Promise<JsonSchemaConverter> {
  const { toJSONSchema } = await import('./zod-json-schema.ts').catch(async (cause: unknown) => {
    throw (await rare()).missingZod(toolName, cause)
  })
  // `input`: what has a default is not required of the model.
  return ({ libraryOptions }) =>
    toJSONSchema(schema as Parameters<typeof toJSONSchema>[0], { io: 'input', ...libraryOptions })
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
