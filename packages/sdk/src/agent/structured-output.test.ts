import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { toolInputSchema } from '../tools/schema.ts'
import { checkOutput, outputReminder } from './structured-output.ts'

const schemas = {
  zod: toolInputSchema('output', z.object({ city: z.string(), days: z.number() })),
  'zod/mini': toolInputSchema('output', mini.object({ city: mini.string(), days: mini.number() })),
  'JSON Schema': toolInputSchema('output', {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'number' } },
    required: ['city', 'days'],
  }),
}
const json = '{"city":"Oslo","days":3}'
const value = { city: 'Oslo', days: 3 }

describe.each(Object.entries(schemas))('with %s', (_name, schema) => {
  test.each<[string, string]>([
    ['the object alone', json],
    ['white space around it', `\n ${json}\n\n`],
    ['a fence', `\`\`\`json\n${json}\n\`\`\``],
    ['a fence without a name', `\`\`\`\n${json}\n\`\`\``],
    ['a fence with Windows line ends', `Here:\r\n\`\`\`json\r\n${json}\r\n\`\`\`\r\n`],
    ['words around it', `Sure! Here it is: ${json} Anything else?`],
    ['words around a fence', `Sure {really}:\n\n  \`\`\`json\n${json}\n  \`\`\`\nAsk for {more}.`],
    ['a draft and a final one', `\`\`\`json\n{"city":"Rome","days":1}\n\`\`\`\nBetter:\n\`\`\`json\n${json}\n\`\`\``],
    ['an example of something else after it', `\`\`\`json\n${json}\n\`\`\`\nRun:\n\`\`\`sh\nls\n\`\`\``],
    ['a fence that was never closed', `\`\`\`json\n${json}`],
  ])('%s is read', async (_what, text) => {
    expect(await checkOutput(schema, text)).toEqual({ ok: true, value })
  })

  test.each<[string, string, string]>([
    ['', '', 'There is no text.'],
    ['Oslo, three days.', '', 'It is not JSON.'],
    ['{"city":"Oslo","days":', '', 'It is not JSON.'],
    ['{"city":"Oslo","days":"3"}', 'days', 'number'],
    ['Sure: {"city":1,"days":3}', 'city', 'string'],
    ['[]', '', 'object'],
  ])('%s is no output', async (text, path, message) => {
    const checked = await checkOutput(schema, text)
    expect(checked).toEqual({
      ok: false,
      issues: expect.arrayContaining([{ path, message: expect.stringContaining(message) }]),
    })
  })
})

test('a whole object that does not fit is not searched for another one', async () => {
  const text = JSON.stringify({ note: `\`\`\`json\n${json}\n\`\`\`` })
  expect(await checkOutput(schemas.zod, text)).toMatchObject({ ok: false })
})

test('the value is as the schema gives it', async () => {
  const schema = toolInputSchema(
    'output',
    z.object({ a: z.string().transform((a) => a.length), b: z.number().default(2) }),
  )
  expect(await checkOutput(schema, '{"a":"xyz"}')).toEqual({ ok: true, value: { a: 3, b: 2 } })
})

test('any object survives any fence and any words without braces', async () => {
  const schema = toolInputSchema('output', { type: 'object' })
  const words = fc.string({ unit: fc.constantFrom(...'ab ,.:\n'), maxLength: 20 })
  const property = fc.asyncProperty(
    fc.dictionary(fc.string(), fc.jsonValue()),
    words,
    words,
    fc.boolean(),
    async (object, before, after, fence) => {
      const written = JSON.stringify(object)
      const text = fence ? `${before}\n\`\`\`json\n${written}\n\`\`\`\n${after}` : `${before}${written}${after}`
      expect(await checkOutput(schema, text)).toEqual({ ok: true, value: JSON.parse(written) })
    },
  )
  await fc.assert(property, { seed: 1, numRuns: 500 })
})

test('the reminder names what does not fit, and no more than ten of it', () => {
  const issues = Array.from({ length: 12 }, (_, index) => ({
    path: index === 0 ? '' : `a[${index}]`,
    message: 'is wrong',
  }))
  const lines = outputReminder(issues).split('\n')
  expect(lines).toHaveLength(13)
  expect(lines.slice(1, 3)).toEqual(['- (the whole reply): is wrong', '- a[1]: is wrong'])
  expect(lines[11]).toBe('- and 2 more')
})
