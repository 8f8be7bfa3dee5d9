import { Validator } from '@cfworker/json-schema'
import type { JsonObject } from '../protocol/json.ts'

/** These only repeat that something inside does not fit, and what is inside is reported itself. */
const CONTAINERS = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'dependentSchemas'],
  ...[
    'items',
    'prefixItems',
    'additionalItems',
    'unevaluatedItems',
    'allOf',
    '$ref',
    '$dynamicRef',
    'then',
    'else',
    'if',
  ],
])

/** What does not fit, and where: a JSON Pointer. */
interface Misfit {
  readonly pointer: string
  readonly message: string
}

/** Checks values against a JSON Schema, without `eval`. Loaded on demand. `dialect` is the schema's own `$schema`. */
export function jsonValidator(schema: JsonObject, dialect: unknown): (value: unknown) => readonly Misfit[] {
  // It marks the schema it is given, so it gets one of its own.
  const validator = new Validator(structuredClone(schema), draftOf(dialect), false)
  return (value) => {
    const { valid, errors } = validator.validate(value)
    if (valid) return []
    const causes = errors.filter((error) => !CONTAINERS.has(error.keyword))
    return (causes.length > 0 ? causes : errors).map((error) => ({
      pointer: error.instanceLocation,
      message: error.keyword === 'false' ? 'This property is not allowed.' : error.error,
    }))
  }
}

function draftOf(dialect: unknown) {
  if (typeof dialect !== 'string') return '2020-12'
  if (dialect.includes('draft-04')) return '4'
  if (dialect.includes('draft-06') || dialect.includes('draft-07')) return '7'
  return dialect.includes('2019-09') ? '2019-09' : '2020-12'
}
