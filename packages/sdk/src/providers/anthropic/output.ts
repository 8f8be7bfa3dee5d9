import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'

/** Limits the API refuses in a reply's schema. The reply is validated with the original. */
const UNSUPPORTED = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'uniqueItems',
  'default',
])

/**
 * A schema inside the subset that the API can hold a reply to, or undefined where it has no word for it: objects with
 * free keys, recursion.
 */
export function outputFormat(schema: JsonObject): JsonObject | undefined {
  const definitions = JSON.stringify([schema.$defs ?? null, schema.definitions ?? null])
  if (definitions.includes('"$ref"') || JSON.stringify(schema).includes('"$ref":"#"')) return undefined
  try {
    return { type: 'json_schema', schema: closed(schema) as JsonObject }
  } catch (thrown) {
    if (thrown instanceof OutsideSubset) return undefined
    throw thrown
  }
}

class OutsideSubset extends Error {}

function closed(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isObject(schema)) return schema
  const copy: Record<string, JsonValue> = {}
  for (const [key, value] of Object.entries(schema as JsonObject)) {
    if (UNSUPPORTED.has(key)) continue
    if (key === 'patternProperties' || key === 'not' || key === 'if') throw new OutsideSubset()
    if (key === 'properties' || key === '$defs' || key === 'definitions') {
      copy[key] = Object.fromEntries(Object.entries(value as JsonObject).map(([name, each]) => [name, closed(each)]))
    } else {
      copy[key] = key === 'enum' || key === 'const' || key === 'required' ? value : closed(value)
    }
  }
  if (copy.type !== 'object' && copy.properties === undefined) return copy
  const { additionalProperties = false } = schema
  if (copy.properties === undefined ? additionalProperties !== false : isObject(additionalProperties)) {
    throw new OutsideSubset()
  }
  return { ...copy, additionalProperties: false }
}
