import { ToolError } from '../protocol/errors.ts'
import type { JsonObject, JsonValue } from '../protocol/json.ts'
import { pathText } from './input-issues.ts'

/** Keywords that hold data, not schemas. */
const DATA = new Set(['const', 'default', 'enum', 'examples'])
/** Keywords that hold schemas by name: their keys are no keywords. */
const NAMED_SCHEMAS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const MAX_DEPTH = 200

export function invalidSchema(toolName: string, path: readonly PropertyKey[], problem: string): ToolError {
  const at = path.length === 0 ? '' : ` at ${pathText(path)}`
  return new ToolError('tool.invalid-schema', `The input schema of tool "${toolName}" cannot be used${at}: ${problem}`)
}

/**
 * A copy of a JSON Schema, as plain JSON and without `$schema`, that is known to be usable: no cycles, references that
 * lead somewhere, an object at the root.
 * Throws `tool.invalid-schema` with the place and what to do.
 */
export function checkedJsonSchema(toolName: string, schema: unknown): JsonObject {
  const ancestors = new Set<object>()

  function copy(value: unknown, path: readonly PropertyKey[]): JsonValue | undefined {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'number' && Number.isFinite(value)) return value
    if (value === undefined) return undefined
    if (typeof value !== 'object') throw invalidSchema(toolName, path, `a ${typeof value} is no JSON.`)
    if (ancestors.has(value)) throw invalidSchema(toolName, path, 'it contains itself. Use $defs and $ref.')
    if (path.length > MAX_DEPTH) throw invalidSchema(toolName, [], `it is nested more than ${MAX_DEPTH} levels deep.`)
    ancestors.add(value)
    const copied = Array.isArray(value)
      ? value.map((item, index) => copy(item, [...path, index]) ?? null)
      : copyObject(value, path)
    ancestors.delete(value)
    return copied
  }

  function copyObject(object: object, path: readonly PropertyKey[]): JsonObject {
    const prototype = Object.getPrototypeOf(object)
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw invalidSchema(toolName, path, `a ${prototype.constructor?.name ?? 'class instance'} is no JSON.`)
    }
    const copied: Record<string, JsonValue> = {}
    for (const [key, value] of Object.entries(object)) {
      const item = key === '__proto__' ? undefined : copy(value, [...path, key])
      if (item !== undefined) copied[key] = item
    }
    return copied
  }

  const copied = copy(schema, [])
  if (!isObject(copied)) throw invalidSchema(toolName, [], 'it has to be a JSON Schema object or a zod schema.')
  visit(copied, [], ({ $ref }, path) => {
    if (typeof $ref === 'string') checkReference(toolName, $ref, copied, path)
  })
  const { $schema: _, ...rest } = copied
  return rootObject(toolName, rest)
}

/** Tells of every object in the schema that holds keywords, and where it is. */
function visit(
  node: JsonValue,
  path: readonly PropertyKey[],
  seen: (keywords: JsonObject, path: readonly PropertyKey[]) => void,
): void {
  if (Array.isArray(node)) {
    for (let index = 0; index < node.length; index++) visit(node[index] ?? null, [...path, index], seen)
    return
  }
  if (!isObject(node)) return
  seen(node, path)
  for (const [key, value] of Object.entries(node)) {
    if (DATA.has(key)) continue
    if (NAMED_SCHEMAS.has(key) && isObject(value)) {
      for (const [name, schema] of Object.entries(value)) visit(schema, [...path, key, name], seen)
    } else visit(value, [...path, key], seen)
  }
}

/** Our validator reads patterns with the flag `u`. Throws `tool.invalid-schema` for one it could not use. */
export function checkPatterns(toolName: string, schema: JsonObject): void {
  visit(schema, [], ({ pattern }, path) => {
    if (typeof pattern !== 'string') return
    try {
      new RegExp(pattern, 'u')
    } catch {
      throw invalidSchema(
        toolName,
        path,
        `the pattern ${JSON.stringify(pattern)} is no regular expression with the flag u.`,
      )
    }
  })
}

function checkReference(toolName: string, ref: string, root: JsonObject, path: readonly PropertyKey[]): void {
  if (!ref.startsWith('#')) throw invalidSchema(toolName, path, `"${ref}" is outside of the schema. Put it into $defs.`)
  const isPointer = ref === '#' || ref.startsWith('#/')
  if (isPointer && resolve(ref, root) === undefined) throw invalidSchema(toolName, path, `"${ref}" leads nowhere.`)
}

/** Percent escapes in a reference, read where they are right. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function resolve(ref: string, root: JsonObject): JsonValue | undefined {
  let node: JsonValue | undefined = root
  for (const part of ref.split('/').slice(1)) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(node)) node = node[Number(key)]
    else if (isObject(node)) node = Object.hasOwn(node, key) ? node[key] : undefined
    else return undefined
  }
  return node
}

/** Model APIs take nothing but objects. A union of objects is one, too: providers merge it as far as theirs wants it. */
function rootObject(toolName: string, schema: JsonObject): JsonObject {
  if (!describesObject(schema, schema, 0)) {
    throw invalidSchema(
      toolName,
      [],
      'its root has to be an object. Put what it describes into a property: { type: "object", properties: { value: … } }.',
    )
  }
  return schema.type === 'object' ? schema : { type: 'object', ...schema }
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

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
