import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { agentFor } from './agent.node.ts'
import type { RunArguments } from './arguments.node.ts'

const plain: RunArguments = { prompt: ['Hi.'], input: 'text', output: 'text' }
const model = { name: 'gpt-5.2', provider: 'openai' } as const

function moduleWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'stepwell-agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'agent.mjs'), text)
  return join(folder, 'agent.mjs')
}

test.each(['export default made', 'export const agent = made'])('%s', async (last) => {
  const agent = moduleWith(`const made = { session() {}, close() {}, mine: true }; ${last}`)
  expect(await agentFor({ ...plain, agent })).toHaveProperty('mine', true)
})

test('a function is given what the flags named, and may take its time', async () => {
  const agent = moduleWith(
    'export default async (setup) => ({ session() {}, close: () => setup.store?.close(), setup })',
  )
  const store = agent.replace('agent.mjs', 'a.db')
  const made = await agentFor({ ...plain, agent, model, store })
  onTestFinished(() => made.close())
  expect(made).toMatchObject({ setup: { model: { id: 'openai', model: 'gpt-5.2' }, store: {} } })
  const bare = await agentFor({ ...plain, agent })
  expect(bare).toMatchObject({ setup: {} })
})

test.each([
  ['nothing', '', {}, 'exports no agent'],
  ['something else', 'export default 5', {}, 'exports no agent'],
  ['a function that gives none', 'export default () => {}', {}, 'gives no agent'],
  ['a module that fails', 'throw new Error("Broken.")', {}, 'could not be loaded: Broken.'],
  ['an agent with a model', 'export default { session() {}, close() {} }', { model }, 'To take --model'],
  ['an agent with a store', 'export default { session() {}, close() {} }', { store: 'a.db' }, 'To take --store'],
])('%s is refused', async (_what, text, more, said) => {
  const asked = agentFor({ ...plain, agent: moduleWith(text), ...more })
  await expect(asked).rejects.toThrow(expect.objectContaining({ code: 'config.invalid' }))
  await expect(asked).rejects.toThrow(said)
})

test('a module that is not there, and a key that is not set', async () => {
  await expect(agentFor({ ...plain, agent: '/no/such.mjs' })).rejects.toThrow('/no/such.mjs could not be loaded')
  vi.stubEnv('EMPTY_KEY', ' ')
  onTestFinished(() => void vi.unstubAllEnvs())
  const keyless = agentFor({ ...plain, model: { ...model, keyEnv: 'EMPTY_KEY' } })
  await expect(keyless).rejects.toThrow(expect.objectContaining({ code: 'config.missing-key' }))
})

test('a limit in dollars needs a model whose price is known, and says what to do without one', async () => {
  const local = { ...model, name: 'mine', baseURL: 'http://127.0.0.1:1/v1' }
  const asked = agentFor({ ...plain, model: local, dollars: 1 })
  await expect(asked).rejects.toThrow(expect.objectContaining({ code: 'config.invalid' }))
  await expect(asked).rejects.toThrow(/--budget-usd.*mine.*@pydantic\/genai-prices.*--budget-tokens N/)
  await (await agentFor({ ...plain, model, dollars: 1 })).close()
  await (await agentFor({ ...plain, model: local, tokens: 1 })).close()
})
