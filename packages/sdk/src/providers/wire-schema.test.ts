import { expect, test } from 'vitest'
import type { JsonObject } from '../protocol/json.ts'
import type { ModelRequest } from './provider.ts'
import { wireSchema } from './schema-dialect.ts'
import { wireSchemas } from './wire-schema.ts'

const plain = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }

function asking(...schemas: JsonObject[]): ModelRequest {
  const tools = schemas.map((inputSchema, i) => ({
    type: 'function' as const,
    name: `t${i}`,
    description: '',
    inputSchema,
  }))
  return { messages: [], tools, settings: {}, bytes: () => Promise.reject(new RangeError()) }
}

test('plain schemas go out as they are', async () => {
  const translate = await wireSchemas(asking(plain, { type: 'object', properties: {} }))
  expect(translate(plain, 't0')).toBe(plain)
  expect(wireSchema(plain, 't0')).toEqual(plain)
})

test.each<[string, JsonObject]>([
  ['a union at the root', { anyOf: [plain, plain] }],
  ['oneOf inside', { ...plain, properties: { a: { oneOf: [{ type: 'string' }] } } }],
  ['a default', { ...plain, properties: { a: { default: 1 } } }],
  ['$schema', { $schema: 'https://json-schema.org/draft/2020-12/schema', ...plain }],
  ['other words at the root', { ...plain, minProperties: 1 }],
  ['no properties', { type: 'object' }],
  ['a requirement of no property', { ...plain, required: ['b'] }],
  ['an empty required', { ...plain, required: [] }],
])('one that is not brings the translation: %s', async (_, schema) => {
  const translate = await wireSchemas(asking(plain, schema))
  expect(translate(schema, 't1')).toBe(wireSchema(schema, ''))
})

test('the schema of the output counts, too', async () => {
  const request = { ...asking(plain), output: { name: 'o', schema: { $ref: '#/$defs/o', $defs: { o: plain } } } }
  expect((await wireSchemas(request))(request.output.schema, 'o')).toMatchObject(plain)
})

test('one that cannot be an object is refused by the name of its owner', async () => {
  const list = { type: 'array' }
  const tool = await wireSchemas(asking(list))
  expect(() => tool(list, 't0')).toThrow('The input of the tool "t0" is no object')
  const output = await wireSchemas({ ...asking(), output: { schema: list } })
  expect(() => output(list, 'list')).toThrow('The output "list" is no object')
})
