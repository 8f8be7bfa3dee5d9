import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ModelEvent } from '../provider.ts'
import { wireNames } from '../wire-names.ts'
import { ReplyStream } from './stream.ts'
import type { Finish, StreamPart } from './stream-part.ts'

const usage = {
  inputTokens: { total: 9, noCache: 9, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: undefined, reasoning: undefined },
}
const finish: Finish = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage }

function read(...parts: StreamPart[]): ModelEvent[] {
  const events: ModelEvent[] = []
  const stream = new ReplyStream('acme', wireNames(['files.list']))
  for (const part of parts) stream.push(part, events)
  return events
}

const metadata = (value: string) => ({ providerMetadata: { acme: { value } } })

describe('metadata of a block', () => {
  const start = { type: 'reasoning-start', id: '0' } as const
  const delta = { type: 'reasoning-delta', id: '0', delta: 'hm' } as const
  const end = { type: 'reasoning-end', id: '0' } as const
  test.each([
    ['its start', [{ ...start, ...metadata('a') }, delta, end], 'a'],
    ['a delta', [start, { ...delta, ...metadata('b') }, end], 'b'],
    ['its end', [start, delta, { ...end, ...metadata('c') }], 'c'],
    ['all of them: the last one', [{ ...start, ...metadata('a') }, { ...delta, ...metadata('b') }, end], 'b'],
  ])('may come with %s', (_, parts, value) => {
    expect(read(...(parts as StreamPart[])).filter(({ type }) => type === 'state')).toEqual([
      { type: 'state', part: 0, state: { metadata: { acme: { value } } } },
    ])
  })

  test('is kept of a block that nobody ended', () => {
    expect(read(start, { ...delta, ...metadata('b') }, finish).map(({ type }) => type)).toEqual([
      'reasoning',
      'state',
      'done',
    ])
  })

  test('makes a part of a thought without words, at its place', () => {
    const events = read({ ...start, ...metadata('sealed') }, { type: 'text-delta', id: '0', delta: 'Hi' }, end)
    expect(events).toEqual([
      { type: 'reasoning', part: 0, text: '' },
      { type: 'text', part: 1, text: 'Hi' },
      { type: 'state', part: 0, state: { metadata: { acme: { value: 'sealed' } } } },
    ])
  })
})

test('an id that comes again begins another part', () => {
  const block: StreamPart[] = [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'a' },
    { type: 'text-end', id: '0' },
  ]
  expect(read(...block, ...block)).toEqual([
    { type: 'text', part: 0, text: 'a' },
    { type: 'text', part: 1, text: 'a' },
  ])
})

test('an empty text is no part', () => {
  const parts: StreamPart[] = [
    { type: 'text-start', id: '0', ...metadata('a') },
    { type: 'text-end', id: '0', ...metadata('b') },
  ]
  expect(read(...parts)).toEqual([])
})

describe('the input of a call', () => {
  const start = { type: 'tool-input-start', id: 'c1', toolName: 'files_list_0' } as const
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'x' } as const
  const pieces = (...deltas: string[]): StreamPart[] => [
    start,
    ...deltas.map((delta) => ({ type: 'tool-input-delta', id: 'c1', delta }) as const),
    { type: 'tool-input-end', id: 'c1' },
  ]
  test.each([
    ['in pieces', [...pieces('{"a"', ':1}'), { ...call, input: '{"a":1}' }], '{"a":1}', undefined],
    ['whole, without a piece', [{ ...call, input: '{"a":1}' }], '{"a":1}', undefined],
    ['empty', [{ ...call, input: '' }], '{}', undefined],
    ['other than its pieces', [...pieces('{"a"', ':1}'), { ...call, input: '{"a":2}' }], '{"a":1}', { a: 2 }],
    ['no JSON', [...pieces('{"a"'), { ...call, input: '{"a"' }], '{"a"', undefined],
    ['an object, as some give it', [{ ...call, input: { a: 1 } as unknown as string }], '{"a":1}', undefined],
  ])('%s', (_, parts, text, input) => {
    const events = read(...(parts as StreamPart[]))
    const told = events.map((event) => (event.type === 'tool-input' ? event.text : '')).join('')
    const end = events.find((event) => event.type === 'tool-input-end')
    expect([told, end]).toEqual([text, { type: 'tool-input-end', part: 0, ...(input && { input }) }])
  })

  test('a call that never came is not ended', () => {
    expect(read(...pieces('{}')).some(({ type }) => type === 'tool-input-end')).toBe(false)
  })

  test('the name is the tool’s own', () => {
    const wire = wireNames(['files.list']).toWire('files.list')
    const [event] = read({ ...start, toolName: wire })
    expect(event).toMatchObject({ name: 'files.list' })
  })
})

describe('a tool that the provider ran', () => {
  const call = { toolCallId: 'p1', toolName: 'server:SEARCH' }
  const called = { type: 'tool-call', ...call, input: '{}', providerExecuted: true } as const

  test('shows its result, and keeps its place among the parts', () => {
    const events = read(
      called,
      { type: 'text-delta', id: '0', delta: 'so' },
      { type: 'tool-result', ...call, result: { n: 0 }, preliminary: true },
      { type: 'tool-result', ...call, result: { n: 1 }, isError: true, ...metadata('r') },
    )
    expect(events.slice(-2)).toEqual([
      { type: 'tool-output', part: 0, output: { n: 1 } },
      {
        type: 'state',
        state: { beside: [{ type: 'result', part: 0, isError: true, after: 2, metadata: { acme: { value: 'r' } } }] },
      },
    ])
    expect(events[0]).toMatchObject({ type: 'tool-input', name: 'server:SEARCH', executed: 'provider' })
    expect(events.filter(({ type }) => type === 'tool-output')).toHaveLength(1)
  })

  test('its result in a later reply gets a part of its own, which is no call', () => {
    const events = read({ type: 'tool-result', ...call, result: 'found' })
    expect(events.slice(0, 5)).toEqual([
      { type: 'tool-input', part: 0, id: 'p1', name: 'server:SEARCH', text: '', executed: 'provider' },
      { type: 'tool-input', part: 0, text: '{}' },
      { type: 'tool-input-end', part: 0, input: {} },
      { type: 'state', part: 0, state: { shown: true } },
      { type: 'tool-output', part: 0, output: 'found' },
    ])
  })

  test('is known as such even where only its end says so', () => {
    const events = read({ type: 'tool-input-start', id: 'p1', toolName: 'search' }, called)
    const executed = events.findIndex((event) => event.type === 'tool-input' && event.executed === 'provider')
    expect(executed).toBeGreaterThan(0)
    expect(executed).toBeLessThan(events.findIndex(({ type }) => type === 'tool-input-end'))
  })

  test('that waits for an approval is told of', () => {
    const [event] = read({ type: 'tool-approval-request', toolCallId: 'p1' })
    expect(event).toMatchObject({ type: 'warning', code: 'ai-sdk.approval', message: expect.stringContaining('p1') })
  })
})

test('sources and files, whichever way their data come', () => {
  const bytes = Uint8Array.from([1, 2])
  const events = read(
    { type: 'source', id: 's1', url: 'https://a.example/', title: 'A' },
    { type: 'source', id: 's2', title: 'A paper' },
    { type: 'file', mediaType: 'image/png', data: 'AQI=' },
    { type: 'file', mediaType: 'image/png', data: bytes },
    { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'AQI=' }, ...metadata('f') },
    { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://a.example/b.png') } },
  )
  expect(events.filter(({ type }) => type !== 'state')).toEqual([
    { type: 'source', source: { sourceId: 's1', url: 'https://a.example/', title: 'A' } },
    { type: 'source', source: { sourceId: 's2', title: 'A paper' } },
    ...[0, 1, 2].map(() => ({ type: 'file', mediaType: 'image/png', bytes })),
    { type: 'warning', code: 'ai-sdk.file-omitted', message: expect.stringContaining('https://a.example/b.png') },
  ])
  expect(events.filter(({ type }) => type === 'state').at(-1)).toEqual({
    type: 'state',
    state: {
      beside: [
        { type: 'file', file: 0, after: 0 },
        { type: 'file', file: 1, after: 0 },
        { type: 'reasoning-file', file: 2, after: 0, metadata: { acme: { value: 'f' } } },
      ],
    },
  })
})

describe('the end', () => {
  const done = (finishReason: Finish['finishReason']) =>
    read({ ...finish, finishReason }).find(({ type }) => type === 'done')
  test.each([
    [
      { unified: 'stop', raw: 'end_turn' },
      { stop: 'stop', rawStop: 'end_turn' },
    ],
    [
      { unified: 'stop', raw: 'pause_turn' },
      { stop: 'pause', rawStop: 'pause_turn' },
    ],
    [
      { unified: 'other', raw: 'compaction' },
      { stop: 'unknown', rawStop: 'compaction' },
    ],
    [{ unified: 'stop' }, { stop: 'stop' }],
    ['tool-calls', { stop: 'tool-calls' }],
    ['other', { stop: 'unknown' }],
  ])('%j', (finishReason, expected) => {
    expect(done(finishReason)).toEqual({ type: 'done', ...expected, usage: { inputTokens: 9, outputTokens: 5 } })
  })

  test.each(['unknown', { unified: 'other' }, { unified: 'interrupted' }])(
    '%j is none: the stream broke off',
    (cut) => {
      expect(read({ ...finish, finishReason: cut })).toEqual([
        { type: 'usage', usage: { inputTokens: 9, outputTokens: 5 } },
      ])
    },
  )

  test('a model that gives up is a failure, which keeps the usage', () => {
    const events: ModelEvent[] = []
    const stream = new ReplyStream('acme', wireNames([]))
    expect(() => stream.push({ ...finish, finishReason: { unified: 'error', raw: 'MALFORMED' } }, events)).toThrow()
    expect(events).toEqual([{ type: 'usage', usage: { inputTokens: 9, outputTokens: 5 } }])
  })

  test('names the model that answered', () => {
    expect(read({ type: 'response-metadata', modelId: 'm-2' }, finish).at(-1)).toMatchObject({ model: 'm-2' })
  })
})

test('warnings of every version', () => {
  const events = read({
    type: 'stream-start',
    warnings: [
      { type: 'unsupported-setting', setting: 'seed', details: 'Sorry' },
      { type: 'unsupported-tool', tool: { name: 'search' } },
      { type: 'unsupported', feature: 'topK' },
      { type: 'compatibility', feature: 'images', details: 'as text' },
      { type: 'deprecated', setting: 'old', message: 'Use new' },
      { type: 'other', message: 'Hm' },
    ],
  })
  expect(events.map((event) => event.type === 'warning' && [event.code, event.message])).toEqual([
    ['provider.setting-ignored', 'Not supported: seed. Sorry'],
    ['provider.tool-omitted', 'Not supported: search'],
    ['provider.setting-ignored', 'Not supported: topK'],
    ['ai-sdk.compatibility', 'images. as text'],
    ['ai-sdk.deprecated', 'old. Use new'],
    ['ai-sdk.other', 'Hm'],
  ])
})

test('parts are opened in order, whatever comes', () => {
  const id = fc.constantFrom('0', '1')
  const part = fc.oneof(
    fc.record({ type: fc.constantFrom('text-start', 'text-end', 'reasoning-start', 'reasoning-end'), id }),
    fc.record({ type: fc.constantFrom('text-delta', 'reasoning-delta', 'tool-input-delta'), id, delta: fc.string() }),
    fc.record({ type: fc.constant('tool-input-start'), id, toolName: fc.constant('look') }),
    fc.record({ type: fc.constant('tool-call'), toolCallId: id, toolName: fc.constant('look'), input: fc.json() }),
    fc.record({ type: fc.constant('tool-result'), toolCallId: id, toolName: fc.constant('s'), result: fc.constant(1) }),
  )
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      let opened = 0
      for (const event of read(...(parts as StreamPart[]))) {
        if (!('part' in event) || event.part === undefined) continue
        expect(event.part).toBeLessThanOrEqual(opened)
        const opens = event.type === 'text' || event.type === 'reasoning' || event.type === 'tool-input'
        if (event.part === opened) expect(opens).toBe(true)
        opened = Math.max(opened, event.part + 1)
      }
    }),
    { seed: 6, numRuns: 300 },
  )
})
