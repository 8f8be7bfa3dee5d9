import { expect, test } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../protocol/json.ts'
import { wireSchema } from './schema-dialect.ts'

const of = (schema: z.ZodType) => wireSchema(z.toJSONSchema(schema, { io: 'input' }) as JsonObject, 'tool')

test('a union at the root becomes one object that takes every branch', () => {
  const shelf = z.discriminatedUnion('op', [
    z.object({ op: z.literal('put'), label: z.string() }),
    z.object({ op: z.literal('move'), key: z.string(), label: z.string().optional() }),
  ])
  expect(of(shelf)).toEqual({
    type: 'object',
    properties: {
      op: { type: 'string', enum: ['put', 'move'] },
      label: { type: 'string' },
      key: { type: 'string' },
    },
    required: ['op'],
  })
})

test('below the root oneOf becomes anyOf, and defaults are not required', () => {
  const when = z.discriminatedUnion('kind', [z.object({ kind: z.literal('at') }), z.object({ kind: z.literal('in') })])
  const schema = of(
    z.object({ when, limit: z.number().default(10), tags: z.record(z.string(), z.string()).default({}) }),
  )
  expect(JSON.stringify(schema)).not.toMatch(/oneOf|\$schema/)
  expect(schema.required).toEqual(['when'])
  expect(schema.properties).toMatchObject({ when: { anyOf: [{ type: 'object' }, { type: 'object' }] } })
})

test('a required property with a default is made optional, at every depth', () => {
  const node = { type: 'object', properties: { a: { default: 1 }, b: {} }, required: ['a', 'b'] }
  const schema = wireSchema({ ...node, properties: { ...node.properties, b: node } }, 'tool')
  expect(schema.required).toEqual(['b'])
  expect((schema.properties as JsonObject).b).toMatchObject({ required: ['b'] })
})

test('recursive schemas keep their references', () => {
  const Tree: z.ZodType = z.lazy(() => z.object({ v: z.string(), children: z.array(Tree) }))
  const schema = of(Tree)
  expect(schema.type).toBe('object')
  expect(Object.keys(schema.properties as JsonObject)).toEqual(['v', 'children'])
  expect(JSON.stringify(schema)).toContain('$ref')
})

test('words that hold data are left alone', () => {
  const values = { const: { oneOf: [1] }, default: { $schema: 'x' }, enum: [{ oneOf: [] }] }
  const schema = wireSchema({ type: 'object', properties: { oneOf: values } }, 'tool')
  expect(schema.properties).toEqual({ oneOf: values })
})

test('an intersection at the root requires what its parts require', () => {
  const schema = of(z.intersection(z.object({ a: z.string() }), z.object({ b: z.number().optional() })))
  expect(schema).toMatchObject({ type: 'object', required: ['a'] })
  expect(Object.keys(schema.properties as JsonObject)).toEqual(['a', 'b'])
  expect(schema).not.toHaveProperty('allOf')
})

test.each<[string, JsonObject]>([
  ['text', { type: 'string' }],
  ['a union with something else', { anyOf: [{ type: 'object' }, { type: 'array' }] }],
  ['a reference to nowhere', { $ref: '#/$defs/Gone' }],
  ['a reference to a name every object has', { $ref: '#/$defs/constructor' }],
  ['a reference to itself', { $ref: '#' }],
])('%s is refused by the name of its owner', (_, schema) => {
  expect(() => wireSchema(schema, 'The shelf')).toThrow(
    expect.objectContaining({
      code: 'tool.invalid-schema',
      message: expect.stringContaining('The shelf is no object'),
    }),
  )
})

test('a schema without anything takes no properties', () => {
  expect(wireSchema({}, 'tool')).toEqual({ type: 'object', properties: {} })
})
