import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import type { ModelRequest } from './provider.ts'

type Output = NonNullable<ModelRequest['output']>

/** What the wanted output is called, in characters that OpenAI's APIs take. */
export function outputName({ name = '' }: Output): string {
  return name.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 64) || 'output'
}

/** For endpoints that take no schema, and schemas that they do not take. */
export function outputInstruction(schema: JsonObject): string {
  return `Reply with nothing but one JSON value that is valid against this JSON Schema, without any text or code fence around it:\n${JSON.stringify(schema)}`
}

const NOT_STRICT = ['allOf', 'not', 'if', 'then', 'else', 'patternProperties', 'dependentSchemas', 'dependentRequired']

/** Whether OpenAI can hold a reply to the schema: objects are closed and require all their properties. */
export function isStrict(schema: JsonValue): boolean {
  if (!isObject(schema)) return true
  const node = schema as JsonObject
  if (NOT_STRICT.some((key) => key in node)) return false
  const properties = isObject(node.properties) ? (node.properties as JsonObject) : {}
  if (node.type === 'object' || node.properties !== undefined) {
    const required = Array.isArray(node.required) ? node.required : []
    if (node.additionalProperties !== false || !Object.keys(properties).every((key) => required.includes(key))) {
      return false
    }
  }
  const groups = [properties, node.$defs, node.definitions].filter((group) => isObject(group))
  const inner = [
    ...groups.flatMap((group) => Object.values(group as JsonObject)),
    ...(Array.isArray(node.anyOf) ? node.anyOf : []),
    ...(node.items === undefined ? [] : [node.items]),
  ]
  return inner.every((each) => isStrict(each as JsonValue))
}
