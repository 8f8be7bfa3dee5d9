import { getEventListeners } from 'node:events'
import { ProviderError } from '../protocol/errors.ts'
import type { ModelEvent, ModelProvider, ModelRequest } from '../providers/provider.ts'
import { type ConformanceCase, ConformanceError, expectSame } from './conformance.ts'
import { awkwardHistory, deepFrozen, everyText } from './provider-requests.ts'
import {
  framed,
  hold,
  type RecordedApi,
  type RecordingServer,
  type Reply,
  recordingServer,
} from './recording-server.ts'

export interface ProviderConformanceOptions {
  readonly name: string
  readonly api: RecordedApi
  /** The provider at this address, with this key. */
  open(url: string, apiKey: string): ModelProvider
  /** The payloads of one whole reply: some text and, after it, at least one tool call. */
  readonly payloads: readonly string[]
}

const KEY = 'sk-conformance-0123456789'

const STATUSES: readonly (readonly [status: number, code: string, retryable: boolean])[] = [
  [400, 'provider.bad-request', false],
  [401, 'provider.auth', false],
  [403, 'provider.auth', false],
  [404, 'provider.not-found', false],
  [408, 'provider.overloaded', true],
  [409, 'provider.overloaded', true],
  [413, 'provider.too-large', false],
  [422, 'provider.bad-request', false],
  [429, 'provider.rate-limited', true],
  [500, 'provider.overloaded', true],
  [503, 'provider.overloaded', true],
  [529, 'provider.overloaded', true],
]

/** What every `ModelProvider` must hold, whatever its API. Runs over real HTTP on this host. */
export function providerConformance(options: ProviderConformanceOptions): readonly ConformanceCase[] {
  const whole = framed(options.api, options.payloads)
  /** The beginning of the reply, up to and with its first text. */
  const beginning = async () => framedHead(options, await firstTextAt(options))
  const rule = (name: string, replies: readonly Reply[], check: (place: Place) => Promise<void>): ConformanceCase => ({
    name: `${options.name}: ${name}`,
    run: async () => {
      const server = await recordingServer(replies)
      try {
        await check({ server, provider: options.open(server.url, KEY), signal: new AbortController().signal })
      } finally {
        await server.close()
      }
    },
  })

  return [
    rule('parts open in order, and done comes once and last', [{ body: whole }], async ({ provider, signal }) => {
      const events = (await read(provider, signal)).flat()
      let opened = 0
      for (const event of events) {
        if (!('part' in event) || event.part === undefined) continue
        if (event.part > opened) throw new ConformanceError('a part opens after all lower ones', event.part, opened)
        if (event.part === opened) opened++
      }
      expectSame(events.filter((event) => event.type === 'done').length, 1, 'there is one done')
      expectSame(events.at(-1)?.type, 'done', 'done is the last event')
    }),
    rule('a body that ends early gives no done', [{ body: framedHead(options, 1) }], async ({ provider, signal }) => {
      const { events } = await outcome(provider, signal)
      expectSame(
        events.some((event) => event.type === 'done'),
        false,
        'a cut reply has no done',
      )
    }),
    rule(
      'a connection that breaks is retryable',
      [{ body: whole, cutAfter: framedHead(options, 1).length }],
      async (place) => {
        await expectFailure(place, 'provider.stream-truncated', true)
      },
    ),
    ...STATUSES.map(([status, code, retryable]) =>
      rule(`HTTP ${status} is ${code}`, [json(status, { error: { message: 'because' } })], async (place) => {
        const error = await expectFailure(place, code, retryable)
        expectSame([error.message, error.status], ['because', status], 'the error keeps status and message')
      }),
    ),
    rule(
      'an error page is a protocol error',
      [{ headers: { 'content-type': 'text/html' }, body: '<html>Log in</html>' }],
      async (place) => {
        await expectFailure(place, 'provider.protocol', false)
      },
    ),
    rule('garbage in the stream is a protocol error', [{ body: 'data: {"half\n\n' }], async (place) => {
      await expectFailure(place, 'provider.protocol', false)
    }),
    rule('a reset instead of an answer is unreachable', [{ cutAfter: 0 }], async (place) => {
      await expectFailure(place, 'provider.unreachable', true)
    }),
    rule('no key is ever in an error', [json(401, { error: { message: `bad key ${KEY}` } })], async (place) => {
      const error = await expectFailure(place, 'provider.auth', false)
      const said = `${error.message} ${JSON.stringify(error)} ${error.stack} ${String(error.cause)}`
      expectSame(said.includes(KEY), false, 'errors do not hold the key')
    }),
    rule('nothing is asked after an abort', [], async ({ server, provider }) => {
      const { error } = await outcome(provider, AbortSignal.abort(REASON))
      expectSame([error, server.requests.length], [REASON, 0], 'an aborted signal stops the request')
    }),
    {
      name: `${options.name}: events come while the rest is held back, and an abort closes the connection`,
      run: async () => {
        const server = await recordingServer([{ body: [await beginning(), hold()] }])
        const abort = new AbortController()
        try {
          const stream = options.open(server.url, KEY).stream(request(), { signal: abort.signal })
          const reading = (async () => {
            for await (const events of stream) if (events.some((event) => event.type === 'text')) abort.abort(REASON)
          })()
          expectSame(await reading.catch((error: unknown) => error), REASON, 'an abort throws its reason')
          expectSame(getEventListeners(abort.signal, 'abort').length, 0, 'no listener is left on the signal')
          const { whole } = await (await server.request(0)).closed
          expectSame(whole, false, 'the server sees the connection close')
        } finally {
          await server.close()
        }
      },
    },
    {
      name: `${options.name}: a reader that leaves closes the connection`,
      run: async () => {
        const server = await recordingServer([{ body: [await beginning(), hold()] }])
        const { signal } = new AbortController()
        try {
          for await (const events of options.open(server.url, KEY).stream(request(), { signal }))
            if (events.length > 0) break
          const { whole } = await (await server.request(0)).closed
          expectSame(whole, false, 'the server sees the connection close')
          expectSame(getEventListeners(signal, 'abort').length, 0, 'no listener is left on the signal')
        } finally {
          await server.close()
        }
      },
    },
    rule('headers alone are a sign of life', [{ body: [hold()] }], async ({ provider, signal }) => {
      for await (const events of provider.stream(request(), { signal })) {
        expectSame(events, [], 'the first array is empty')
        break
      }
    }),
    rule(
      'the request is left alone, and says nothing empty',
      [{ body: whole }],
      async ({ server, provider, signal }) => {
        await read(provider, signal, deepFrozen(request({ messages: awkwardHistory(provider) })))
        const sent = server.requests[0]?.json
        const blank = everyText(sent).filter((text) => text.trim() === '')
        expectSame(blank, [], 'no blank text is sent')
        const raw = server.requests[0]?.text ?? ''
        expectSame(/\\ud[89a-f]/i.test(raw) || raw.includes('\\u0000'), false, 'the body is well-formed')
        expectSame(raw.includes('outcome of this call is unknown'), true, 'a call without a result is answered')
      },
    ),
  ]
}

const REASON = new Error('stopped by the test')

interface Place {
  readonly server: RecordingServer
  readonly provider: ModelProvider
  readonly signal: AbortSignal
}

function request(over: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: [{ role: 'user', id: 'u1', at: 0, parts: [{ type: 'text', text: 'hi' }] }],
    tools: [],
    settings: {},
    bytes: () => Promise.resolve(new Uint8Array([1, 2, 3])),
    ...over,
  }
}

function json(status: number, body: object): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

async function read(
  provider: ModelProvider,
  signal: AbortSignal,
  asked = request(),
): Promise<(readonly ModelEvent[])[]> {
  const batches: (readonly ModelEvent[])[] = []
  for await (const batch of provider.stream(asked, { signal })) batches.push(batch)
  return batches
}

async function outcome(
  provider: ModelProvider,
  signal: AbortSignal,
): Promise<{ readonly events: readonly ModelEvent[]; readonly error?: unknown }> {
  const events: ModelEvent[] = []
  try {
    for await (const batch of provider.stream(request(), { signal })) events.push(...batch)
    return { events }
  } catch (error) {
    return { events, error }
  }
}

async function expectFailure({ provider, signal }: Place, code: string, retryable: boolean): Promise<ProviderError> {
  const { events, error } = await outcome(provider, signal)
  if (!(error instanceof ProviderError)) throw new ConformanceError('failures are ProviderErrors', error, code)
  expectSame([error.code, error.retryable], [code, retryable], 'the error has its code')
  expectSame(
    events.some((event) => event.type === 'done'),
    false,
    'a failed reply has no done',
  )
  expectSame(getEventListeners(signal, 'abort').length, 0, 'no listener is left on the signal')
  return error
}

/** The first payloads of the reply, framed, without what a whole stream ends with. */
function framedHead({ api, payloads }: ProviderConformanceOptions, count: number): string {
  return framed(api, payloads.slice(0, count)).replace('data: [DONE]\n\n', '')
}

/** How many payloads it takes until the first text appears. */
async function firstTextAt(options: ProviderConformanceOptions): Promise<number> {
  for (let count = 1; count <= options.payloads.length; count++) {
    const server = await recordingServer([{ body: framedHead(options, count) }])
    const { events } = await outcome(options.open(server.url, KEY), new AbortController().signal)
    await server.close()
    if (events.some((event) => event.type === 'text')) return count
  }
  throw new ConformanceError('the payloads given hold some text', options.payloads, 'a text')
}
