import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ModelEvent } from '../provider.ts'
import { type OpenAIOptions, openai } from './index.ts'

const REQUEST = { messages: [], tools: [], settings: {}, bytes: () => Promise.reject(new Error('no bytes')) }

afterEach(() => vi.unstubAllEnvs())

interface Asked {
  readonly url: string
  readonly headers: Headers
}

/** Runs one request against a reply that says nothing, and gives what was asked. */
async function asked(options: OpenAIOptions, signal = new AbortController().signal): Promise<Asked> {
  let seen: Asked | undefined
  const fetch: typeof globalThis.fetch = async (url, init) => {
    seen = { url: String(url), headers: new Headers(init?.headers) }
    return new Response('data: [DONE]\n\n')
  }
  for await (const _ of openai('m', { fetch, ...options }).stream(REQUEST, { signal }));
  if (seen === undefined) throw new Error('nothing was asked')
  return seen
}

describe('who is asked', () => {
  test.each<[string, OpenAIOptions, string, string]>([
    ['OpenAI', {}, 'openai', 'https://api.openai.com/v1/chat/completions'],
    [
      'DeepSeek',
      { baseURL: 'https://api.deepseek.com/v1/' },
      'deepseek',
      'https://api.deepseek.com/v1/chat/completions',
    ],
    [
      'Azure',
      { baseURL: 'https://me.openai.azure.com/openai/v1?api-version=1' },
      'azure',
      'https://me.openai.azure.com/openai/v1/chat/completions?api-version=1',
    ],
    [
      'an unknown host',
      { baseURL: 'http://localhost:11434/v1' },
      'localhost:11434',
      'http://localhost:11434/v1/chat/completions',
    ],
    [
      'a host that only ends like one',
      { baseURL: 'https://evilapi.openai.com' },
      'evilapi.openai.com',
      'https://evilapi.openai.com/chat/completions',
    ],
    [
      'one that behaves like another',
      { baseURL: 'http://proxy', quirks: 'mistral' },
      'mistral',
      'http://proxy/chat/completions',
    ],
    ['one with a name of its own', { baseURL: 'http://proxy', id: 'mine' }, 'mine', 'http://proxy/chat/completions'],
  ])('%s', async (_, options, id, url) => {
    expect(openai('m', options).id).toBe(id)
    expect((await asked({ apiKey: 'sk-1', ...options })).url).toBe(url)
  })
})

describe('keys', () => {
  test("come from the vendor's variable, which no other host gets", async () => {
    vi.stubEnv('OPENAI_API_KEY', ' sk-openai ')
    vi.stubEnv('DEEPSEEK_API_KEY', 'sk-deepseek')
    expect((await asked({})).headers.get('authorization')).toBe('Bearer sk-openai')
    expect((await asked({ baseURL: 'https://api.deepseek.com' })).headers.get('authorization')).toBe(
      'Bearer sk-deepseek',
    )
    for (const options of [
      { baseURL: 'http://localhost:1234/v1' },
      { baseURL: 'http://proxy', quirks: 'openai' },
    ] as const) {
      expect((await asked(options)).headers.get('authorization')).toBeNull()
    }
  })

  test('are sent as the endpoint wants them', async () => {
    const { headers } = await asked({ baseURL: 'https://me.openai.azure.com/openai/v1', apiKey: 'k-azure' })
    expect([headers.get('api-key'), headers.get('authorization')]).toEqual(['k-azure', null])
  })

  test('that are missing are named before anything is sent', async () => {
    vi.stubEnv('OPENAI_API_KEY', '')
    await expect(asked({})).rejects.toMatchObject({
      code: 'config.missing-key',
      message: expect.stringContaining('OPENAI_API_KEY'),
    })
    await expect(asked({ baseURL: 'http://localhost:1234' })).resolves.toBeDefined()
    await expect(asked({ headers: { Authorization: 'Bearer mine' } })).resolves.toBeDefined()
  })
})

describe('headers', () => {
  test('are asked for before every request', async () => {
    let n = 0
    const headers = async () => ({ Authorization: `Bearer token-${++n}`, 'X-Team': 'a' })
    const options = { apiKey: 'unused', headers }
    expect((await asked(options)).headers.get('authorization')).toBe('Bearer token-1')
    expect((await asked(options)).headers.get('authorization')).toBe('Bearer token-2')
  })

  test('whose function fails say so', async () => {
    const headers = () => Promise.reject(new Error('no token today'))
    await expect(asked({ headers })).rejects.toMatchObject({
      code: 'provider.auth',
      message: expect.stringContaining('no token today'),
    })
  })

  test('that never come do not outlast an abort', async () => {
    const abort = new AbortController()
    const waiting = asked({ headers: () => new Promise(() => {}) }, abort.signal)
    abort.abort('enough')
    await expect(waiting).rejects.toBe('enough')
  })
})

test('a connection that breaks behind the finish reason took nothing with it', async () => {
  const finish = 'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n'
  const broken = async (start: string) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
      pull: (controller) => controller.error(new TypeError('terminated')),
    })
    const events: ModelEvent[] = []
    const model = openai('m', { apiKey: 'k', fetch: async () => new Response(body) })
    for await (const batch of model.stream(REQUEST, { signal: new AbortController().signal })) events.push(...batch)
    return events.at(-1)
  }
  expect(await broken(finish)).toEqual({ type: 'done', stop: 'stop', rawStop: 'stop' })
  await expect(broken(finish.replace('"stop"', 'null'))).rejects.toMatchObject({ code: 'provider.stream-truncated' })
})
