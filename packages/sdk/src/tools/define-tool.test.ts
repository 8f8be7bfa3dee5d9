import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import type { StepwellError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import { defineTool, type ToolDefinition } from './define-tool.ts'
import type { Tool, ToolContext } from './tool.ts'
import { toolSet } from './tool-set.ts'

const description = 'For tests'
const input = { type: 'object' }

function thrownCode(action: () => unknown): string | undefined {
  try {
    action()
  } catch (error) {
    return (error as StepwellError).code
  }
  return undefined
}

test('the defaults are the careful ones', () => {
  const tool = defineTool({ name: 'save', description, input })
  expect(tool).toMatchObject({
    effect: 'write',
    parallel: false,
    onAbort: 'cancel',
    timeoutMs: 120_000,
    maxResultChars: 50_000,
  })
  expect(tool.execute).toBeUndefined()
  expect(defineTool({ name: 'look', description, input, effect: 'read' }).parallel).toBe(true)
  expect(defineTool({ name: 'look', description, input, effect: 'read', parallel: false }).parallel).toBe(false)
})

describe('names', () => {
  for (const name of ['fs.read', 'a/b', 'två ord', '読む', 'constructor', '__proto__', 'x'.repeat(256)]) {
    test(`${name.slice(0, 20)} is fine`, () => {
      const tool = defineTool({ name, description, input })
      expect(toolSet([tool]).get(name)).toBe(tool)
    })
  }
  for (const name of ['', 'x'.repeat(257), 'a\nb', 'a\u0000', '\ud83d', 5]) {
    test(`${JSON.stringify(name).slice(0, 20)} is refused`, () => {
      expect(thrownCode(() => defineTool({ name: name as string, description, input }))).toBe('tool.invalid-name')
    })
  }
  test('two of a name are refused', () => {
    const tool = defineTool({ name: 'twice', description, input })
    expect(thrownCode(() => toolSet([tool, tool]))).toBe('tool.duplicate-name')
  })
})

test('values out of range are refused, with the field and the tool', () => {
  const bad: Partial<Record<keyof ToolDefinition<unknown, unknown>, unknown>>[] = [
    { description: undefined },
    { effect: 'destroy' },
    { onAbort: 'ignore' },
    { timeoutMs: -1 },
    { timeoutMs: Number.NaN },
    { timeoutMs: Number.POSITIVE_INFINITY },
    { maxResultChars: 0 },
  ]
  for (const field of bad) {
    const definition = { name: 'odd', description, input, ...field } as ToolDefinition<unknown, unknown>
    expect(() => defineTool(definition)).toThrow(new RegExp(`"odd": ${Object.keys(field)[0]} has to be`))
    expect(thrownCode(() => defineTool(definition))).toBe('config.invalid')
  }
})

describe('types', () => {
  test('zod: what the schema gives out', () => {
    const tool = defineTool({
      name: 'a',
      description,
      input: z.object({
        city: z.string(),
        days: z.number().default(3),
        at: z.string().transform((text) => text.length),
      }),
      describeEffect: (input) => {
        expectTypeOf(input.days).toEqualTypeOf<number>()
        return { title: input.city }
      },
      execute: async (input, ctx) => {
        expectTypeOf(input).toEqualTypeOf<{ city: string; days: number; at: number }>()
        expectTypeOf(ctx).toEqualTypeOf<ToolContext>()
        return { degrees: 5 }
      },
    })
    expectTypeOf(tool).toEqualTypeOf<Tool<{ city: string; days: number; at: number }, { degrees: number }, 'a'>>()
    expectTypeOf(tool).toExtend<Tool>()
  })

  test('zod/mini', () => {
    const tool = defineTool({
      name: 'a',
      description,
      input: mini.object({ city: mini.string(), unit: mini.optional(mini.enum(['c', 'f'])) }),
      execute: (input) => {
        expectTypeOf(input.unit).toEqualTypeOf<'c' | 'f' | undefined>()
        return input.city
      },
    })
    expectTypeOf(tool).toExtend<Tool<{ city: string }, string>>()
  })

  test('JSON Schema: an object, or what is declared', () => {
    defineTool({ name: 'a', description, input, execute: (input) => expectTypeOf(input).toEqualTypeOf<JsonObject>() })
    const declared = defineTool({ name: 'a', description, input, execute: (input: { city: string }) => input.city })
    expectTypeOf(declared).toEqualTypeOf<Tool<{ city: string }, string, 'a'>>()
  })

  test('a generator gives what it returns', () => {
    const tool = defineTool({
      name: 'a',
      description,
      input,
      async *execute() {
        yield 'working'
        return 42
      },
    })
    expectTypeOf(tool).toEqualTypeOf<Tool<JsonObject, number, 'a'>>()
  })
})
