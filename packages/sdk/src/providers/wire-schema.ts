import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import type { ModelRequest } from './provider.ts'

/** A JSON Schema as the model APIs accept it. Throws `tool.invalid-schema` where its root cannot be an object. */
export type WireSchema = (schema: JsonObject, name: string) => JsonObject

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
  let plain = known.get(schema)
  if (plain === undefined) {
    const { type, properties, required, additionalProperties: _, description: __, ...others } = schema
    plain =
      type === 'object' &&
      isObject(properties) &&
      (required === undefined || isRequiredOf(properties, required)) &&
      Object.keys(others).length === 0 &&
      !/"(\$schema|oneOf|default)":/.test(JSON.stringify(schema))
    known.set(schema, plain)
  }
  return plain
}

function isRequiredOf(properties: object, required: JsonValue): boolean {
  return Array.isArray(required) && required.length > 0 && required.every((name) => Object.hasOwn(properties, name))
}
