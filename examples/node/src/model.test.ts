import { expect, test } from 'vitest'
import { chooseModel, type Surroundings } from './model.ts'

const listing = (models: Readonly<Record<string, readonly string[]>>) =>
  (async (url: string | URL | Request) => {
    const ids = models[String(url)]
    if (ids === undefined) throw new TypeError('fetch failed')
    return Response.json({ data: ids.map((id) => ({ id })) })
  }) as typeof fetch

const around = (more: Partial<Surroundings> = {}): Surroundings => ({
  env: {},
  fetch: listing({}),
  pauseMs: 0,
  ...more,
})
const keys = { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a' }
const ollama = listing({ 'http://127.0.0.1:11434/v1/models': ['nomic-embed-text', 'qwen3:8b'] })

test.each([
  ['openai:gpt-x', 'openai-chat', 'gpt-x'],
  ['responses:gpt-x', 'openai-responses', 'gpt-x'],
  ['anthropic:claude-x', 'anthropic', 'claude-x'],
  ['scripted', 'scripted', 'scripted'],
])('--model %s', async (name, api, model) => {
  expect((await chooseModel({ name }, around({ env: keys }))).model).toMatchObject({
    api: expect.stringContaining(api),
    model,
  })
})

test('keys come before local servers, OpenAI before Anthropic', async () => {
  expect((await chooseModel({}, around({ env: keys, fetch: ollama }))).from).toBe('OPENAI_API_KEY')
  expect((await chooseModel({}, around({ env: { ...keys, OPENAI_API_KEY: ' ' } }))).from).toBe('ANTHROPIC_API_KEY')
})

test('a local server answers with its first model that can talk', async () => {
  const { model, from } = await chooseModel({}, around({ fetch: ollama }))
  expect([model.model, from]).toEqual(['qwen3:8b', 'Ollama'])
  const studio = listing({ 'http://127.0.0.1:11434/v1/models': [], 'http://127.0.0.1:1234/v1/models': ['gemma'] })
  expect((await chooseModel({}, around({ fetch: studio }))).from).toBe('LM Studio')
  expect((await chooseModel({ name: 'llama3:8b' }, around({ fetch: ollama }))).model.model).toBe('llama3:8b')
})

test('--base-url comes before keys, and is asked for its models', async () => {
  const fetch = listing({ 'http://host/v1/models': ['own'] })
  const { model } = await chooseModel({ baseURL: 'http://host/v1/' }, around({ env: keys, fetch }))
  expect(model.model).toBe('own')
  await expect(chooseModel({ baseURL: 'http://gone/v1' }, around())).rejects.toMatchObject({ code: 'config.invalid' })
})

test('without any of them the model is scripted, unless one was named', async () => {
  expect((await chooseModel({}, around())).model.model).toBe('scripted')
  await expect(chooseModel({ name: 'gpt-x' }, around())).rejects.toMatchObject({ code: 'config.missing-key' })
})
