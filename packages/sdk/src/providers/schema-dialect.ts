import { ConfigError } from '../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'

const dialects = new WeakMap<JsonObject, JsonObject>()

/**
 * A JSON Schema as the model APIs accept it: the root is a plain object (unions and intersections at the root are
 * merged into it), there is no `$schema` and no `oneOf`, and what has a default is not required. Wider than the original
 * where it has to be: inputs are validated with the original.
 *
 * Throws `tool.invalid-schema` where the root cannot be an object, and names its `owner`.
 */
export function wireSchema(schema: JsonObject, owner: string): JsonObject {
  let dialect = dialects.get(schema)
  if (dialect === undefined) {
    dialect = rootObject(schema, owner)
    dialects.set(schema, dialect)
  }
  return dialect
}

function rootObject(schema: JsonObject, owner: string): JsonObject {
  const definitions = isObject(schema.$defs) ? schema.$defs : isObject(schema.definitions) ? schema.definitions : {}
  const shape = shapeOf(schema, { owner, root: schema, definitions, depth: 0 })
  const root: Record<string, JsonValue> = { type: 'object', properties: Object.fromEntries(shape.properties) }
  const required = shape.required.filter((name) => shape.properties.has(name))
  if (required.length > 0) root.required = required
  if (shape.rest !== undefined) root.additionalProperties = shape.rest
  if (typeof schema.description === 'string') root.description = schema.description
  for (const key of ['$defs', 'definitions'] as const) {
    const group = schema[key]
    if (isObject(group)) root[key] = mapValues(group as JsonObject, subschema)
  }
  return root
}

/** What an object schema says of its properties, translated. */
interface Shape {
  readonly properties: ReadonlyMap<string, JsonValue>
  readonly required: readonly string[]
  readonly rest: JsonValue | undefined
}

interface Place {
  readonly owner: string
  readonly root: JsonObject
  readonly definitions: Record<string, unknown>
  readonly depth: number
}

function shapeOf(schema: JsonValue | undefined, place: Place): Shape {
  if (!isObject(schema) || place.depth > 32) throw notAnObject(place.owner)
  const node = schema as JsonObject
  const inner = { ...place, depth: place.depth + 1 }
  if (typeof node.$ref === 'string') return shapeOf(referenced(node.$ref, place), inner)
  const types = Array.isArray(node.type) ? node.type : [node.type ?? 'object']
  if (!types.includes('object')) throw notAnObject(place.owner)

  const translated = subschema({ properties: node.properties ?? {}, required: node.required ?? [] }) as JsonObject
  const own: Shape = {
    properties: new Map(Object.entries(translated.properties as JsonObject)),
    required: (translated.required ?? []) as string[],
    rest: node.additionalProperties === undefined ? undefined : subschema(node.additionalProperties),
  }
  const all = listOf(node.allOf).map((part) => shapeOf(part, inner))
  const unions = [listOf(node.anyOf), listOf(node.oneOf)].filter((branches) => branches.length > 0)
  for (const branches of unions) all.push(union(branches.map((branch) => shapeOf(branch, inner))))
  return all.length === 0 ? own : intersection([own, ...all])
}

function referenced(ref: string, { root, definitions, owner }: Place): JsonValue {
  const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(ref)?.[1]
  const key = name?.replaceAll('~1', '/').replaceAll('~0', '~')
  const target =
    ref === '#' ? root : key !== undefined && Object.hasOwn(definitions, key) ? definitions[key] : undefined
  if (!isObject(target)) throw notAnObject(owner)
  return target as JsonObject
}

/** Any of the branches: every property may come, and only what all of them require is required. */
function union(branches: readonly Shape[]): Shape {
  const required =
    branches[0]?.required.filter((name) => branches.every((branch) => branch.required.includes(name))) ?? []
  const closed = branches.every((branch) => branch.rest === false)
  return { properties: combined(branches, eitherOf), required, rest: closed ? false : undefined }
}

/** All of the parts. Parts that close themselves cannot close the whole: each would refuse the properties of the others. */
function intersection(parts: readonly Shape[]): Shape {
  const bearing = parts.filter((part) => part.properties.size > 0 || part.rest !== undefined)
  const closed = bearing.length > 0 && bearing.every((part) => part.rest === false)
  return {
    properties: combined(parts, (schemas) => ({ allOf: schemas })),
    required: [...new Set(parts.flatMap((part) => part.required))],
    rest: closed ? false : undefined,
  }
}

function combined(shapes: readonly Shape[], join: (schemas: JsonValue[]) => JsonValue): Map<string, JsonValue> {
  const found = new Map<string, Map<string, JsonValue>>()
  for (const { properties } of shapes) {
    for (const [name, schema] of properties) {
      const variants = found.get(name) ?? new Map<string, JsonValue>()
      found.set(name, variants.set(JSON.stringify(schema), schema))
    }
  }
  const properties = new Map<string, JsonValue>()
  for (const [name, variants] of found) {
    const schemas = [...variants.values()]
    properties.set(name, schemas.length === 1 ? (schemas[0] as JsonValue) : join(schemas))
  }
  return properties
}

function eitherOf(schemas: JsonValue[]): JsonValue {
  const values: JsonValue[] = []
  let type: JsonValue | undefined
  for (const schema of schemas) {
    const allowed = !isObject(schema) ? undefined : Object.hasOwn(schema, 'const') ? [schema.const] : schema.enum
    if (!Array.isArray(allowed)) return { anyOf: schemas }
    for (const value of allowed as JsonValue[]) if (!values.includes(value)) values.push(value)
    const own = (schema as JsonObject).type
    type = type === undefined || type === own ? own : undefined
  }
  return type === undefined ? { enum: values } : { type, enum: values }
}

const LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const SINGLE = new Set(['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'])

/** Translates a schema below the root. Only places that hold schemas are touched: `const` or `default` hold data. */
function subschema(schema: JsonValue): JsonValue {
  if (!isObject(schema)) return schema
  const copy: Record<string, JsonValue> = {}
  for (const [key, value] of Object.entries(schema as JsonObject)) {
    if (key === '$schema') continue
    else if (LISTS.has(key) && Array.isArray(value)) copy[key] = value.map(subschema)
    else if (MAPS.has(key) && isObject(value)) copy[key] = mapValues(value as JsonObject, subschema)
    else if (SINGLE.has(key)) copy[key] = Array.isArray(value) ? value.map(subschema) : subschema(value)
    else copy[key] = value
  }
  if (copy.oneOf !== undefined) {
    const { oneOf, ...others } = copy
    if (others.anyOf === undefined) return withoutDefaults({ ...others, anyOf: oneOf })
    return withoutDefaults({ ...others, allOf: [...listOf(others.allOf), { anyOf: oneOf }] })
  }
  return withoutDefaults(copy)
}

function withoutDefaults(schema: JsonObject): JsonObject {
  const { properties, required } = schema
  if (!Array.isArray(required) || !isObject(properties)) return schema
  const hasDefault = (name: unknown) =>
    typeof name === 'string' && isObject(properties[name]) && 'default' in properties[name]
  if (!required.some(hasDefault)) return schema
  return { ...schema, required: required.filter((name) => !hasDefault(name)) as JsonValue[] }
}

function mapValues(object: JsonObject, translate: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, translate(value)]))
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function notAnObject(owner: string): ConfigError {
  return new ConfigError(
    'tool.invalid-schema',
    `${owner} is no object. Model APIs only take objects: wrap it, for instance { value: … }`,
  )
}
