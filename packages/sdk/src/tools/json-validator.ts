import { Validator } from '@cfworker/json-schema'
import type { JsonObject } from '../protocol/json.ts'
import type { StandardProps } from './standard-schema.ts'

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

/** Checks values against a JSON Schema, without `eval`. Loaded on demand. `dialect` is the schema's own `$schema`. */
export function jsonValidator(schema: JsonObject, dialect: unknown): NonNullable<StandardProps['validate']> {
  // It marks the schema it is given, so it gets one of its own.
  const validator = new Validator(structuredClone(schema), draftOf(dialect), false)
  return (value) => {
    const { valid, errors } = validator.validate(value)
    if (valid) return { value }
    const causes = errors.filter((error) => !CONTAINERS.has(error.keyword))
    return {
      issues: (causes.length > 0 ? causes : errors).map(({ instanceLocation, keyword, error }) => ({
        pointer: instanceLocation,
        message: keyword === 'false' ? 'This property is not allowed.' : error,
      })),
    }
  }
}

function draftOf(dialect: unknown) {
  if (typeof dialect !== 'string') return '2020-12'
  if (dialect.includes('draft-04')) return '4'
  if (dialect.includes('draft-06') || dialect.includes('draft-07')) return '7'
  return dialect.includes('2019-09') ? '2019-09' : '2020-12'
}
