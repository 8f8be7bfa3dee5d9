import { isObject, type JsonObject, type JsonValue, normalise } from '../protocol/json.ts'
import { invalidSchema } from './invalid-schema.ts'
import { pointerKeys } from './pointer.ts'

/** Keywords that hold data, not schemas. */
const DATA = /^(const|default|enum|examples)$/
/** Keywords that hold schemas by name: their keys are no keywords. */
const NAMED_SCHEMAS = /^(properties|patternProperties|\$defs|definitions|dependentSchemas)$/
const JSON_TYPES = /^(string|boolean|undefined)$/
const MAX_DEPTH = 200

/** What the objects at a place are: schemas, schemas by name, or data that may look like one. */
type Place = 'schemas' | 'names' | 'data'
type Path = readonly PropertyKey[]

/**
 * A copy of a JSON Schema, as plain JSON and without `$schema`, that is known to be usable: no cycles, references that
 * lead somewhere, an object at the root. `ownPatterns`: our validator will read its patterns, with the flag `u`.
 * Throws `tool.invalid-schema` with the place and what to do.
 */
export function checkedJsonSchema(toolName: string, schema: unknown, ownPatterns: boolean): JsonObject {
  const ancestors: unknown[] = []
  const refs: [ref: string, path: Path][] = []

  function refuse(isWrong: boolean, path: Path, problem: string): void {
    if (isWrong) throw invalidSchema(toolName, path, problem)
  }

  function check(value: unknown, path: Path, place: Place): void {
    if (typeof value !== 'object' || value === null) {
      const isJson = value === null || JSON_TYPES.test(typeof value) || Number.isFinite(value)
      return refuse(!isJson, path, `a ${typeof value} is no JSON.`)
    }
    const isArray = Array.isArray(value)
    const prototype = isArray ? null : Object.getPrototypeOf(value)
    const isInstance = prototype !== null && Object.getPrototypeOf(prototype) !== null
    refuse(ancestors.includes(value), path, 'it contains itself. Use $defs and $ref.')
    refuse(path.length > MAX_DEPTH, [], `it is nested more than ${MAX_DEPTH} levels deep.`)
    refuse(isInstance, path, `a ${prototype?.constructor?.name ?? 'class instance'} is no JSON.`)
    if (!isArray && place === 'schemas') checkKeywords(value, path)
    ancestors.push(value)
    for (const [key, item] of Object.entries(value)) {
      if (isArray) check(item, [...path, Number(key)], place === 'data' ? place : 'schemas')
      else if (key !== '__proto__') check(item, [...path, key], placeIn(place, key))
    }
    ancestors.pop()
  }

  function checkKeywords({ $ref, pattern }: JsonSchemaKeywords, path: Path): void {
    if (typeof $ref === 'string') {
      refuse($ref[0] !== '#', path, `"${$ref}" is outside of the schema. Put it into $defs.`)
      if (/^#(\/|$)/.test($ref)) refs.push([$ref, path])
    }
    if (ownPatterns && typeof pattern === 'string') {
      const problem = `the pattern ${JSON.stringify(pattern)} is no regular expression with the flag u.`
      refuse(!isPattern(pattern), path, problem)
    }
  }

  check(schema, [], 'schemas')
  refuse(!isObject(schema), [], 'it has to be a JSON Schema object or a zod schema.')
  const { $schema: _, ...root } = JSON.parse(JSON.stringify(normalise(schema))) as JsonObject
  for (const [ref, path] of refs) refuse(resolve(ref, root) === undefined, path, `"${ref}" leads nowhere.`)
  // Model APIs take nothing but objects. A union of objects is one, too: providers merge it as far as theirs wants it.
  const hint = 'Put what it describes into a property: { type: "object", properties: { value: … } }.'
  refuse(!describesObject(root, root, 0), [], `its root has to be an object. ${hint}`)
  return root.type === 'object' ? root : { type: 'object', ...root }
}

interface JsonSchemaKeywords {
  readonly $ref?: unknown
  readonly pattern?: unknown
}

function placeIn(place: Place, key: string): Place {
  if (place !== 'schemas') return place === 'names' ? 'schemas' : 'data'
  return DATA.test(key) ? 'data' : NAMED_SCHEMAS.test(key) ? 'names' : 'schemas'
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
    const isInside: boolean = typeof node === 'object' && node !== null && Object.hasOwn(node, key)
    node = isInside ? (node as JsonObject)[key] : undefined
  }
  return node
}

function describesObject(schema: JsonValue | undefined, root: JsonObject, depth: number): boolean {
  if (!isObject(schema) || depth > 20) return false
  const { type, $ref, allOf, properties } = schema
  const isOne = (part: JsonValue | undefined) => describesObject(part, root, depth + 1)
  if (type !== undefined) return type === 'object'
  if (typeof $ref === 'string') return isOne(resolve($ref, root))
  const branches = schema.oneOf ?? schema.anyOf
  if (Array.isArray(branches)) return branches.length > 0 && branches.every(isOne)
  return Array.isArray(allOf) ? allOf.some(isOne) : properties !== undefined
}
