import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from './define-tool.ts'
import { prepareCall, type RequestedCall } from './prepare.ts'
import { toolSet } from './tool-set.ts'

const description = 'For tests'
const scope = { context: { admin: false }, history: [] }
const tools = toolSet([
  defineTool({ name: 'read', description, input: z.object({ path: z.string() }) }),
  defineTool({ name: 'list_tasks', description, input: { type: 'object' } }),
  defineTool({
    name: 'alarm',
    description,
    input: z.object({ at: z.string().transform((text) => text.length), limit: z.number().default(10) }),
  }),
  defineTool({
    name: 'erase',
    description,
    input: { type: 'object' },
    enabled: ({ context }) => (context as { admin: boolean }).admin,
  }),
  defineTool({
    name: 'fragile',
    description,
    input: z.object({}).refine(() => {
      throw new Error('database gone')
    }),
  }),
])

const prepare = (call: Partial<RequestedCall>) => prepareCall(tools, { callId: 'k', toolName: 'read', ...call }, scope)

async function refusal(call: Partial<RequestedCall>): Promise<{ code: string | undefined; text: string }> {
  const prepared = await prepare(call)
  if (prepared.ok) throw new Error('it was accepted')
  expect(prepared.result).toMatchObject({ callId: 'k', outcome: 'error', durationMs: 0 })
  return { code: prepared.result.code, text: String(prepared.result.output) }
}

test('a call that fits, parsed or as text, with keys that are not in the schema', async () => {
  const sent = { path: 'ok', extra: 1 }
  for (const call of [{ input: sent }, { inputText: JSON.stringify(sent) }]) {
    expect(await prepare(call)).toMatchObject({ ok: true, tool: { name: 'read' }, input: { path: 'ok' }, sent })
  }
})

test('no text is no input', async () => {
  for (const inputText of [undefined, '', ' \n']) {
    const call = inputText === undefined ? {} : { inputText }
    expect(await prepare({ toolName: 'list_tasks', ...call })).toMatchObject({ ok: true, input: {} })
  }
})

test('the tool gets what the schema makes of it, events what the model sent', async () => {
  const prepared = await prepare({ toolName: 'alarm', input: { at: 'noon' } })
  expect(prepared).toMatchObject({ ok: true, input: { at: 4, limit: 10 }, sent: { at: 'noon' } })
})

test('halves of surrogate pairs meet in the parser, lone ones are replaced', async () => {
  expect(await prepare({ inputText: '{"path":"\\ud83d\\ude00\\ud83d"}' })).toMatchObject({ sent: { path: '😀\ufffd' } })
})

describe('what is wrong becomes a result the model can act on', () => {
  test('an unknown tool: the nearest, and all there are', async () => {
    const { code, text } = await refusal({ toolName: 'raed', inputText: '{"path":"a"}' })
    expect(code).toBe('tool.unknown')
    expect(text).toBe(
      'There is no tool "raed". Did you mean "read"? Available tools: read, list_tasks, alarm, fragile.',
    )
    expect((await refusal({ toolName: 'listTasks' })).text).toContain('Did you mean "list_tasks"?')
    expect((await refusal({ toolName: 'quite-something-else' })).text).not.toContain('Did you mean')
    expect((await refusal({ toolName: '__proto__' })).code).toBe('tool.unknown')
  })

  test('a tool that is disabled now, and one whose check throws', async () => {
    expect(await refusal({ toolName: 'erase' })).toMatchObject({
      code: 'tool.disabled',
      text: expect.stringContaining('cannot be used now'),
    })
    const broken = toolSet([
      defineTool({
        name: 'broken',
        description,
        input: { type: 'object' },
        enabled: () => {
          throw new Error('no')
        },
      }),
    ])
    const prepared = await prepareCall(broken, { callId: 'k', toolName: 'broken' }, scope)
    expect(prepared).toMatchObject({
      ok: false,
      result: { code: 'tool.disabled', output: expect.stringContaining('No tools') },
    })
  })

  test('text that is no JSON: why, and what was received', async () => {
    const { code, text } = await refusal({ inputText: '{"path": "C:\\temp"' })
    expect(code).toBe('tool.invalid-json')
    expect(text).toMatch(/not valid JSON: .*position/)
    expect(text).toContain('C:\\temp')
  })

  test('JSON that is no object', async () => {
    const kinds = { '"just a string"': 'a string', '[1]': 'an array', null: 'null', '5': 'a number', true: 'a boolean' }
    for (const [inputText, kind] of Object.entries(kinds)) {
      expect(await refusal({ inputText })).toMatchObject({
        code: 'tool.invalid-input',
        text: expect.stringContaining(`not ${kind}`),
      })
    }
  })

  test('a value of another type: where, and nothing is coerced', async () => {
    const { code, text } = await refusal({ input: { path: 5 } })
    expect(code).toBe('tool.invalid-input')
    expect(text).toMatch(/- path: .*expected string/)
  })

  test('a check that throws', async () => {
    expect(await refusal({ toolName: 'fragile', input: {} })).toMatchObject({
      text: expect.stringContaining('database gone'),
    })
  })

  test('long names, long text and many issues are shortened', async () => {
    expect((await refusal({ toolName: 'x'.repeat(10_000) })).text.length).toBeLessThan(500)
    expect((await refusal({ inputText: `{"path":"${'😀'.repeat(5000)}` })).text.length).toBeLessThan(500)
    const wide = toolSet([
      defineTool({
        name: 'wide',
        description,
        input: z.object(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`p${i}`, z.string()]))),
      }),
    ])
    const prepared = await prepareCall(wide, { callId: 'k', toolName: 'wide' }, scope)
    expect(prepared.ok === false && prepared.result.output).toContain('and 20 more')
  })
})
