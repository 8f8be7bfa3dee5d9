import { expect, test } from 'vitest'
import { providerTool } from './provider-tool.ts'

test('a tool of a provider keeps its id and its arguments', () => {
  const tool = { type: 'provider', id: 'acme.search', args: { limit: 3, left: undefined } }
  expect(providerTool('search', tool)).toEqual({
    type: 'provider',
    api: 'ai-sdk',
    name: 'search',
    config: { id: 'acme.search', args: { limit: 3 } },
  })
})

test('any other tool is refused', () => {
  expect(() => providerTool('look', { type: 'function' })).toThrow(
    expect.objectContaining({ code: 'config.invalid', message: expect.stringContaining('defineTool') }),
  )
})
