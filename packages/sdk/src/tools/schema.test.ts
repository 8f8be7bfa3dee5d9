import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import type { StepwellError } from '../protocol/errors.ts'
import { type JsonSchema, toolInputSchema } from './schema.ts'
import type { StandardSchema } from './standard-schema.ts'

const make = (schema: StandardSchema | JsonSchema) => toolInputSchema('probe', schema)

async function failure(action: () => unknown): Promise<StepwellError> {
  try {
    await action()
  } catch (error) {
    return error as StepwellError
  }
  throw new Error('nothing was thrown')
}

const whenForms = {
  zod: z.object({
    name: z.string(),
    when: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('at'), iso: z.string() }),
      z.object({ kind: z.literal('every'), minutes: z.number().int().positive() }),
    ]),
    tags: z.record(z.string(), z.string()).default({}),
    limit: z.number().default(10),
  }),
  'zod/mini': mini.object({
    name: mini.string(),
    when: mini.discriminatedUnion('kind', [
      mini.object({ kind: mini.literal('at'), iso: mini.string() }),
      mini.object({ kind: mini.literal('every'), minutes: mini.int().check(mini.positive()) }),
    ]),
    tags: mini._default(mini.record(mini.string(), mini.string()), {}),
    limit: mini._default(mini.number(), 10),
  }),
}

for (const [library, schema] of Object.entries(whenForms)) {
  describe(library, () => {
    test('what has a default is not asked of the model, and is there for the tool', async () => {
      const { jsonSchema, validate } = make(schema)
      const json = await jsonSchema()
      expect(json).toMatchObject({ type: 'object', required: ['name', 'when'] })
      expect(json).not.toHaveProperty('$schema')
      expect(await validate({ name: 'n', when: { kind: 'at', iso: '2030-01-01' } })).toMatchObject({
        ok: true,
        value: { tags: {}, limit: 10 },
      })
    })

    test('issues name the place', async () => {
      const result = await make(schema).validate({ name: 5, when: { kind: 'every', minutes: '5' } })
      expect(result).toMatchObject({
        ok: false,
        issues: [
          { path: 'name', message: expect.stringContaining('string') },
          { path: 'when.minutes', message: expect.stringMatching(/number|int/) },
        ],
      })
    })
  })
}

test('the JSON Schema is computed once', async () => {
  const { jsonSchema } = make(whenForms.zod)
  expect(await jsonSchema()).toBe(await jsonSchema())
})

test('roots: unions and intersections of objects and recursive objects are objects', async () => {
  const union = z.discriminatedUnion('op', [z.object({ op: z.literal('a') }), z.object({ op: z.literal('b') })])
  const tree = z.object({
    v: z.string(),
    get children() {
      return z.array(tree)
    },
  })
  const lazy: z.ZodType = z.lazy(() => z.object({ v: z.string(), children: z.array(lazy) }))
  const both = z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() }))
  for (const schema of [
    union,
    tree,
    lazy,
    both,
    mini.object({}),
    { properties: {} },
    { $ref: '#/$defs/x', $defs: { x: { type: 'object' } } },
  ]) {
    expect(await make(schema).jsonSchema()).toMatchObject({ type: 'object' })
  }
})

describe('schemas that no model can be told', () => {
  const bad: Record<string, [schema: StandardSchema | JsonSchema, says: RegExp]> = {
    'a date': [z.object({ when: z.object({ day: z.date() }) }), /"probe".* at when\.day: Date .*z\.iso/],
    'a bare transform': [z.object({ list: z.array(z.transform(String)) }), /at list\[\*\]: Transform/],
    'a bigint in zod/mini': [mini.object({ n: mini.bigint() }), /at n: BigInt/],
    'a root that is a string': [z.string(), /root has to be an object/],
    'a union with something else': [z.union([z.object({}), z.string()]), /root has to be an object/],
  }
  for (const [name, [schema, says]] of Object.entries(bad)) {
    test(name, async () => {
      const error = await failure(() => make(schema).jsonSchema())
      expect(error.code).toBe('tool.invalid-schema')
      expect(error.message).toMatch(says)
    })
  }

  const cyclic: Record<string, unknown> = { type: 'object' }
  cyclic.properties = { self: cyclic }
  const definitions: Record<string, [schema: unknown, says: RegExp]> = {
    nothing: [undefined, /JSON Schema object or a zod schema/],
    text: ['string', /JSON Schema object/],
    'an array': [[], /JSON Schema object/],
    'an array root': [{ type: 'array' }, /root has to be an object/],
    'no root type': [{}, /root has to be an object/],
    'a cycle': [cyclic, /at properties\.self: it contains itself/],
    'a function inside': [{ type: 'object', properties: { a: () => 1 } }, /at properties\.a: a function/],
    'a bigint inside': [{ type: 'object', pattern: { a: 1n } }, /at pattern\.a: a bigint/],
    'a class instance inside': [{ type: 'object', default: new Date(0) }, /at default: a Date/],
    'a reference to nowhere': [
      { type: 'object', properties: { a: { $ref: '#/$defs/x' } } },
      /at properties\.a: .* leads nowhere/,
    ],
    'a reference to elsewhere': [
      { type: 'object', properties: { a: { $ref: 'https://x.test/y' } } },
      /outside of the schema/,
    ],
    'no regular expression': [{ type: 'object', properties: { a: { type: 'string', pattern: '(' } } }, /pattern "\("/],
    'a library without JSON Schema': [
      { '~standard': { version: 1, vendor: 'other', validate: () => ({ value: 1 }) } },
      /"other" offers no/,
    ],
    'zod 3': [{ '~standard': { version: 1, vendor: 'zod', validate: () => ({ value: 1 }) } }, /zod 3/],
  }
  for (const [name, [schema, says]] of Object.entries(definitions)) {
    test(`${name}: when the tool is defined`, async () => {
      const error = await failure(() => make(schema as JsonSchema))
      expect(error.code).toBe('tool.invalid-schema')
      expect(error.message).toMatch(says)
    })
  }
})

describe('JSON Schema', () => {
  const schema = make({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    required: ['when'],
    properties: {
      when: {
        type: 'object',
        properties: { minutes: { type: 'integer', minimum: 1 }, unit: { enum: ['m', 'h'] } },
        additionalProperties: false,
      },
      items: { type: 'array', items: { type: 'object', properties: { 'a b': { type: 'string' } } } },
      pattern: { type: 'string' },
    },
  })

  test('values that fit come back as they are', async () => {
    const value = { when: { minutes: 5, unit: 'h' }, items: [{ 'a b': 'x' }], extra: 1 }
    expect(await schema.validate(value)).toEqual({ ok: true, value })
  })

  test('nothing is coerced, and issues name the innermost place', async () => {
    const result = await schema.validate({ when: { minutes: '5', unit: 'd', no: 1 }, items: [{ 'a b': 1 }] })
    expect(result.ok === false && result.issues.map((issue) => issue.path)).toEqual([
      'when.minutes',
      'when.unit',
      'when.no',
      'items[0]["a b"]',
    ])
    expect(await schema.validate({})).toMatchObject({
      ok: false,
      issues: [{ path: '', message: expect.stringContaining('when') }],
    })
  })

  test('the schema that was passed in is neither changed nor kept', async () => {
    const own = Object.freeze({ type: 'object', properties: Object.freeze({ a: Object.freeze({ type: 'string' }) }) })
    const before = JSON.stringify(own)
    expect((await make(own).validate({ a: 1 })).ok).toBe(false)
    expect(JSON.stringify(own)).toBe(before)
  })
})

test('a schema that offers JSON Schema but no check is checked by its JSON Schema', async () => {
  const jsonOnly = {
    '~standard': {
      version: 1,
      vendor: 'other',
      jsonSchema: { input: () => ({ type: 'object', properties: { a: { type: 'string' } } }) },
    },
  }
  const { validate } = make(jsonOnly)
  expect((await validate({ a: 'x' })).ok).toBe(true)
  expect((await validate({ a: 1 })).ok).toBe(false)
})

test('zod/mini without its locale still says what is wrong', async () => {
  const silent = { message: 'Invalid input', path: ['n'] }
  const issues = [
    { ...silent, code: 'invalid_type', expected: 'string' },
    { ...silent, code: 'invalid_value', values: ['a', 1] },
    { ...silent, code: 'too_small', minimum: 3 },
    { ...silent, code: 'too_big', maximum: 4 },
    { ...silent, code: 'not_multiple_of', divisor: 5 },
    { ...silent, code: 'invalid_format', format: 'email' },
    { ...silent, code: 'unrecognized_keys', keys: ['x'] },
    { ...silent, code: 'invalid_union', errors: [[{ ...silent, code: 'invalid_type', expected: 'string' }], [silent]] },
    silent,
  ]
  const schema = { '~standard': { version: 1, vendor: 'zod', validate: () => ({ issues }) }, _zod: {} } as const
  const result = await make(schema).validate({})
  expect(result.ok === false && result.issues.map((issue) => issue.message)).toEqual([
    'Invalid input: expected string',
    'Invalid input: expected one of "a", 1',
    'Invalid input: expected at least 3',
    'Invalid input: expected at most 4',
    'Invalid input: expected a multiple of 5',
    'Invalid input: expected the format email',
    'Invalid input: unknown key "x"',
    'No form of the union fits: n: Invalid input: expected string, or n: Invalid input',
    'Invalid input',
  ])
})

test('without zod, a zod/mini schema says what to install', async () => {
  vi.doMock('./zod-json-schema.ts', () => {
    throw new Error('Cannot find package')
  })
  const error = await failure(() => make(mini.object({})).jsonSchema())
  vi.doUnmock('./zod-json-schema.ts')
  expect(error).toMatchObject({ code: 'tool.missing-zod', message: expect.stringContaining('Install zod') })
})
