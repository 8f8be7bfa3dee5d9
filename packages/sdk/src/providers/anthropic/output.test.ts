import { expect, test } from 'vitest'
import { outputFormat } from './output.ts'

const text = { type: 'string' }

test('objects are closed at every depth, and limits go', () => {
  const inner = { type: 'object', properties: { pattern: { ...text, pattern: '^a' } } }
  const schema = {
    type: 'object',
    properties: { one: { $ref: '#/$defs/Inner' }, many: { type: 'array', items: inner, minItems: 1 } },
    $defs: { Inner: inner },
  }
  const closed = { type: 'object', properties: { pattern: text }, additionalProperties: false }
  expect(outputFormat(schema)).toEqual({
    type: 'json_schema',
    schema: {
      type: 'object',
      properties: { one: { $ref: '#/$defs/Inner' }, many: { type: 'array', items: closed } },
      $defs: { Inner: closed },
      additionalProperties: false,
    },
  })
})

test('values are not taken for schemas', () => {
  const schema = { type: 'object', properties: { a: { enum: [{ type: 'object', minimum: 1 }] } } }
  expect(outputFormat(schema)?.schema).toMatchObject({ properties: schema.properties })
})

test.each([
  ['free keys', { type: 'object', additionalProperties: text }],
  ['free keys further down', { type: 'object', properties: { a: { type: 'object', additionalProperties: {} } } }],
  ['free keys beside others', { type: 'object', properties: { a: text }, additionalProperties: text }],
  ['keys by pattern', { type: 'object', patternProperties: { '^a': text } }],
  ['negation', { type: 'object', properties: { a: { not: text } } }],
  ['recursion', { type: 'object', properties: { a: { $ref: '#' } } }],
  ['recursion by name', { type: 'object', $defs: { A: { type: 'array', items: { $ref: '#/$defs/A' } } } }],
])('there is no word for %s', (_, schema) => {
  expect(outputFormat(schema)).toBeUndefined()
})
