import { defineTool } from '@stepwell/sdk'
import { expect, test } from 'vitest'
import { askFirst, nobody } from './confirm.ts'
import { callTool } from './testing/call-tool.ts'

const done: unknown[] = []
const change = defineTool<{ path: string }>({
  name: 'change',
  description: 'Changes something.',
  input: { type: 'object', properties: { path: { type: 'string' } } },
  describeEffect: ({ path }) => ({ title: `Change ${path}`, path }),
  execute: ({ path }) => {
    done.push(path)
    return 'Changed.'
  },
})

test('what is allowed is done, after the person saw it', async () => {
  const seen: unknown[] = []
  const allow = async (effect: unknown) => seen.push(effect) > 0
  const { result } = await callTool(askFirst(change, allow), { path: 'a' })
  expect(seen).toEqual([{ title: 'Change a', path: 'a' }])
  expect(result).toMatchObject({ outcome: 'ok', output: 'Changed.' })
  expect(done.splice(0)).toEqual(['a'])
})

test.each([
  ['a no', async () => false],
  ['nobody to ask', nobody],
])('%s is told to the model, and nothing is done', async (_what, confirm) => {
  const { result } = await callTool(askFirst(change, confirm), { path: 'a' })
  expect(result).toMatchObject({ outcome: 'error', code: 'tool.denied', output: expect.stringContaining('Not done') })
  expect(done).toEqual([])
})
