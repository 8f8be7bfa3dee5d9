import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Message } from '../protocol/messages.ts'
import { awkwardHistory } from '../testing/provider-requests.ts'
import { framed, type RecordedApi } from '../testing/recording-server.ts'
import { anthropic } from './anthropic/index.ts'
import type { HttpOptions } from './http-provider.ts'
import { openai } from './openai-chat/index.ts'
import { openaiResponses } from './openai-responses/index.ts'
import type { ModelEvent, ModelProvider, ModelRequest } from './provider.ts'

type Options = HttpOptions & { readonly baseURL?: string; readonly apiKey?: string }

interface Api {
  open(options: Options): ModelProvider
  readonly id: string
  readonly variable: string
  readonly keyHeader: readonly [name: string, value: string]
  readonly url: string
  /** The reply "Hi." to a prompt of 90 tokens, of which 50 were cached. */
  readonly reply: readonly object[]
}

const apis: Readonly<Record<RecordedApi, Api>> = {
  'openai-chat': {
    open: (options) => openai('m', options),
    id: 'openai',
    variable: 'OPENAI_API_KEY',
    keyHeader: ['authorization', 'Bearer k'],
    url: 'https://api.openai.com/v1/chat/completions',
    reply: [
      { choices: [{ index: 0, delta: { content: 'Hi.' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      {
        choices: [],
        usage: { prompt_tokens: 90, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 50 } },
      },
    ],
  },
  'openai-responses': {
    open: (options) => openaiResponses('m', options),
    id: 'openai',
    variable: 'OPENAI_API_KEY',
    keyHeader: ['authorization', 'Bearer k'],
    url: 'https://api.openai.com/v1/responses',
    reply: [
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hi.' },
      {
        type: 'response.completed',
        response: { usage: { input_tokens: 90, output_tokens: 2, input_tokens_details: { cached_tokens: 50 } } },
      },
    ],
  },
  anthropic: {
    open: (options) => anthropic('m', options),
    id: 'anthropic',
    variable: 'ANTHROPIC_API_KEY',
    keyHeader: ['x-api-key', 'k'],
    url: 'https://api.anthropic.com/v1/messages',
    reply: [
      {
        type: 'message_start',
        message: { usage: { input_tokens: 40, cache_read_input_tokens: 50, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi.' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ],
  },
}

afterEach(() => vi.unstubAllEnvs())

interface Asked {
  readonly url: string
  readonly headers: Headers
  readonly body: string
}

const REQUEST: ModelRequest = {
  messages: [],
  tools: [],
  settings: {},
  bytes: () => Promise.reject(new Error('there are no bytes')),
}

function answer(name: RecordedApi, reply: readonly object[]): Response {
  return new Response(
    framed(
      name,
      reply.map((payload) => JSON.stringify(payload)),
    ),
  )
}

describe.each(Object.keys(apis) as RecordedApi[])('%s', (name) => {
  const api = apis[name]

  /** Makes one request, and collects in `reads` what comes of it. */
  async function ask(
    options: Options,
    over: Partial<ModelRequest> = {},
    reads: (readonly ModelEvent[])[] = [],
  ): Promise<Asked> {
    let asked: Asked | undefined
    const fetch: typeof globalThis.fetch = async (url, init) => {
      asked = { url: String(url), headers: new Headers(init?.headers), body: String(init?.body) }
      return answer(name, api.reply)
    }
    const { signal } = new AbortController()
    for await (const events of api.open({ fetch, ...options }).stream({ ...REQUEST, ...over }, { signal })) {
      reads.push(events)
    }
    if (asked === undefined) throw new Error('nothing was asked')
    return asked
  }

  test('its own vendor gets the key of the environment', async () => {
    vi.stubEnv(api.variable, ' k ')
    const asked = await ask({})
    expect(asked.url).toBe(api.url)
    expect(asked.headers.get(api.keyHeader[0])).toBe(api.keyHeader[1])
  })

  test('another host gets none, and needs none', async () => {
    vi.stubEnv(api.variable, 'k')
    const asked = await ask({ baseURL: 'http://localhost:1234/v1/' })
    expect(asked.url).toMatch('http://localhost:1234/v1/')
    expect(asked.headers.get(api.keyHeader[0])).toBeNull()
  })

  test('a missing key is named before anything is sent', async () => {
    vi.stubEnv(api.variable, '')
    await expect(ask({})).rejects.toMatchObject({
      code: 'config.missing-key',
      message: expect.stringContaining(api.variable),
      retryable: false,
    })
    const headers = { [api.keyHeader[0].toUpperCase()]: 'mine' }
    expect((await ask({ headers })).headers.get(api.keyHeader[0])).toBe('mine')
  })

  test.each(['nonsense', 'ftp://x/v1', '/v1', '', 'http://me:secret@x/v1'])(
    'the address %j is a configuration error',
    async (baseURL) => {
      const error = await ask({ baseURL, apiKey: 'k' }).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'config.invalid', message: expect.stringContaining('base URL') })
      expect(String(error)).not.toContain('secret')
    },
  )

  test('it is known by its vendor, else its host, else as it is told', () => {
    const capabilities = { contextWindow: 1 }
    expect(api.open({ capabilities })).toMatchObject({ id: api.id, model: 'm', api: name, capabilities })
    expect(api.open({ baseURL: 'http://localhost:1234/v1' }).id).toBe('localhost:1234')
    expect(api.open({ baseURL: 'http://localhost:1234/v1', id: 'mine' }).id).toBe('mine')
  })

  test('one warning names the tools of other APIs, with the first thing that arrives', async () => {
    const elsewhere = (tool: string) =>
      ({ type: 'provider', api: 'another', name: tool, config: { type: tool } }) as const
    const reads: (readonly ModelEvent[])[] = []
    const asked = await ask({ apiKey: 'k' }, { tools: [elsewhere('search'), elsewhere('draw')] }, reads)
    const message = expect.stringMatching(/search \(another\), draw \(another\)/)
    expect(reads[0]).toEqual([{ type: 'warning', code: 'provider.tool-omitted', message }])
    expect(
      reads
        .slice(1)
        .flat()
        .map(({ type }) => type),
    ).not.toContain('warning')
    expect(JSON.parse(asked.body)).not.toHaveProperty('tools')
  })

  test('a conversation that grows says the same as one that is new', async () => {
    const bodies: string[] = []
    const fetch: typeof globalThis.fetch = async (_, init) => {
      bodies.push(String(init?.body))
      return answer(name, api.reply)
    }
    const send = async (model: ModelProvider, messages: readonly Message[]) => {
      const { signal } = new AbortController()
      for await (const _ of model.stream({ ...REQUEST, messages }, { signal }));
    }
    const model = api.open({ apiKey: 'k', fetch })
    const messages = awkwardHistory(model)
    for (let n = 1; n <= messages.length; n++) {
      await send(model, messages.slice(0, n))
      await send(api.open({ apiKey: 'k', fetch }), messages.slice(0, n))
      expect(bodies.at(-2), `${n} messages`).toBe(bodies.at(-1))
    }
  })

  test('half characters go out as such nowhere', async () => {
    const tool = { type: 'function', name: 't', description: 'x\ud83d', inputSchema: { type: 'object' } } as const
    const settings = { extra: { one: '\udc00', not: Number.NaN } }
    const asked = await ask({ apiKey: 'k' }, { instructions: 'y\ud83d', tools: [tool], settings })
    expect(asked.body).not.toMatch(/\\ud/i)
    expect(JSON.parse(asked.body)).toMatchObject({ one: '\ufffd' })
  })

  test('a prompt larger than the window was cut in silence', async () => {
    const usage = { inputTokens: 40, cacheReadTokens: 50, outputTokens: 2 }
    const reads: (readonly ModelEvent[])[] = []
    await expect(ask({ apiKey: 'k', capabilities: { contextWindow: 89 } }, {}, reads)).rejects.toMatchObject({
      code: 'provider.context-overflow',
      retryable: false,
      message: expect.stringContaining('90 tokens'),
    })
    expect(reads.flat().at(-1)).toEqual({ type: 'usage', usage })
    await ask({ apiKey: 'k', capabilities: { contextWindow: 90 } }, {}, reads)
    expect(reads.flat().at(-1)).toMatchObject({ type: 'done', stop: 'stop', usage })
  })
})

test.each([
  [
    'openai-chat',
    [{ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'model_context_window_exceeded' }] }],
  ],
  [
    'anthropic',
    [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
      { type: 'message_delta', delta: { stop_reason: 'model_context_window_exceeded' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ],
  ],
] as const)('a reply of %s that found no room in the window is an overflow', async (name, reply) => {
  const model = apis[name].open({ apiKey: 'k', fetch: async () => answer(name, reply) })
  const events: ModelEvent[] = []
  const reading = async () => {
    for await (const read of model.stream(REQUEST, { signal: new AbortController().signal })) events.push(...read)
  }
  await expect(reading()).rejects.toMatchObject({ code: 'provider.context-overflow', sentOutput: true })
  expect(events).toContainEqual({ type: 'text', part: 0, text: 'Hi' })
})
