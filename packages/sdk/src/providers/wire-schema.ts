import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import type { ModelRequest } from './provider.ts'

/** A JSON Schema as the model APIs accept it. Throws `tool.invalid-schema` where its root cannot be an object. */
export type WireSchema = (schema: JsonObject, name: string) => JsonObject

const ROOT_WORDS = /^(type|properties|required|additionalProperties|description)$/
const known = new WeakMap<JsonObject, boolean>()

/** The translation for the schemas of one request. Most need none, and then its file is not loaded. */
export async function wireSchemas({ tools, output }: ModelRequest): Promise<WireSchema> {
  const schemas = tools.flatMap((tool) => (tool.type === 'function' ? [tool.inputSchema] : []))
  if (output !== undefined) schemas.push(output.schema)
  if (schemas.every(isPlain)) return (schema) => schema
  const { wireSchema } = await import('./rare.ts')
  const whose = (schema: JsonObject) => (schema === output?.schema ? 'The output' : 'The input of the tool')
  return (schema, name) => wireSchema(schema, `${whose(schema)} ${JSON.stringify(name)}`)
}

/** Whether a schema is accepted as it is, as far as a quick look can tell. */
function isPlain(schema: JsonObject): boolean {
  const { type, properties, required } = schema
  const plain =
    known.get(schema) ??
    (type === 'object' &&
      isObject(properties) &&
      (required === undefined || isListOf(required, properties)) &&
      Object.keys(schema).every((key) => ROOT_WORDS.test(key)) &&
      !/"(\$schema|oneOf|default)":/.test(JSON.stringify(schema)))
  known.set(schema, plain)
  return plain
}

function isListOf(names: JsonValue, properties: JsonObject): boolean {
  return Array.isArray(names) && names.length > 0 && names.every((name) => Object.hasOwn(properties, name))
}
