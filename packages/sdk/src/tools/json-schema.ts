import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { invalidSchema } from './invalid-schema.ts'
import { pointerKeys } from './pointer.ts'

/** Keywords that hold data, not schemas. */
const DATA = new Set(['const', 'default', 'enum', 'examples'])
/** Keywords that hold schemas by name: their keys are no keywords. */
const NAMED_SCHEMAS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const MAX_DEPTH = 200

/** What the objects at a place are: schemas, schemas by name, or data that may look like one. */
type Place = 'schemas' | 'names' | 'data'

/**
 * A copy of a JSON Schema, as plain JSON and without `$schema`, that is known to be usable: no cycles, references that
 * lead somewhere, an object at the root. `ownPatterns`: our validator will read its patterns, with the flag `u`.
 * Throws `tool.invalid-schema` with the place and what to do.
 */
export function checkedJsonSchema(toolName: string, schema: unknown, ownPatterns: boolean): JsonObject {
  const ancestors = new Set<object>()
  const pointers: { readonly ref: string; readonly path: readonly PropertyKey[] }[] = []

  function fail(path: readonly PropertyKey[], problem: string): never {
    throw invalidSchema(toolName, path, problem)
  }

  function copy(value: unknown, path: readonly PropertyKey[], place: Place): JsonValue | undefined {
    if (value === undefined || value === null || typeof value === 'string' || typeof value === 'boolean') {
      return value
    }
    if (typeof value === 'number' && Number.isFinite(value)) return value
    if (typeof value !== 'object') fail(path, `a ${typeof value} is no JSON.`)
    if (ancestors.has(value)) fail(path, 'it contains itself. Use $defs and $ref.')
    if (path.length > MAX_DEPTH) fail([], `it is nested more than ${MAX_DEPTH} levels deep.`)
    ancestors.add(value)
    const copied = Array.isArray(value)
      ? value.map((item, index) => copy(item, [...path, index], place === 'data' ? place : 'schemas') ?? null)
      : copyObject(value, path, place)
    ancestors.delete(value)
    return copied
  }

  function copyObject(object: object, path: readonly PropertyKey[], place: Place): JsonObject {
    const prototype = Object.getPrototypeOf(object)
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      fail(path, `a ${prototype.constructor?.name ?? 'class instance'} is no JSON.`)
    }
    if (place === 'schemas') checkKeywords(object, path)
    const copied: Record<string, JsonValue> = {}
    for (const [key, value] of Object.entries(object)) {
      const item = key === '__proto__' ? undefined : copy(value, [...path, key], placeIn(place, key))
      if (item !== undefined) copied[key] = item
    }
    return copied
  }

  function checkKeywords({ $ref, pattern }: JsonSchemaKeywords, path: readonly PropertyKey[]): void {
    if (typeof $ref === 'string') {
      if (!$ref.startsWith('#')) fail(path, `"${$ref}" is outside of the schema. Put it into $defs.`)
      if ($ref === '#' || $ref.startsWith('#/')) pointers.push({ ref: $ref, path })
    }
    if (ownPatterns && typeof pattern === 'string' && !isPattern(pattern)) {
      fail(path, `the pattern ${JSON.stringify(pattern)} is no regular expression with the flag u.`)
    }
  }

  const copied = copy(schema, [], 'schemas')
  if (!isObject(copied)) return fail([], 'it has to be a JSON Schema object or a zod schema.')
  for (const { ref, path } of pointers) if (resolve(ref, copied) === undefined) fail(path, `"${ref}" leads nowhere.`)
  const { $schema: _, ...root } = copied
  // Model APIs take nothing but objects. A union of objects is one, too: providers merge it as far as theirs wants it.
  if (!describesObject(root, root, 0)) {
    const hint = 'Put what it describes into a property: { type: "object", properties: { value: … } }.'
    fail([], `its root has to be an object. ${hint}`)
  }
  return root.type === 'object' ? root : { type: 'object', ...root }
}

interface JsonSchemaKeywords {
  readonly $ref?: unknown
  readonly pattern?: unknown
}

function placeIn(place: Place, key: string): Place {
  if (place !== 'schemas') return place === 'names' ? 'schemas' : 'data'
  return DATA.has(key) ? 'data' : NAMED_SCHEMAS.has(key) ? 'names' : 'schemas'
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u') !== undefined
  } catch {
    return false
  }
}

function resolve(ref: string, root: JsonObject): JsonValue | undefined {
  let node: JsonValue | undefined = root
  for (const key of pointerKeys(ref)) {
    if (Array.isArray(node)) node = node[Number(key)]
    else if (isObject(node)) node = Object.hasOwn(node, key) ? node[key] : undefined
    else return undefined
  }
  return node
}

function describesObject(schema: JsonValue, root: JsonObject, depth: number): boolean {
  if (!isObject(schema) || depth > 20) return false
  if (schema.type !== undefined) return schema.type === 'object'
  if (typeof schema.$ref === 'string') return describesObject(resolve(schema.$ref, root) ?? null, root, depth + 1)
  const branches = schema.oneOf ?? schema.anyOf
  if (Array.isArray(branches))
    return branches.length > 0 && branches.every((branch) => describesObject(branch, root, depth + 1))
  if (Array.isArray(schema.allOf)) return schema.allOf.some((part) => describesObject(part, root, depth + 1))
  return schema.properties !== undefined
}
