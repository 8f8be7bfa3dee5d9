import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../protocol/json.ts'
import { streamFailure } from '../../testing/stream-failure.ts'
import type { ModelEvent } from '../provider.ts'
import { wireNames } from '../wire-names.ts'
import { MessagesStream } from './stream.ts'

const START = { type: 'message_start', message: { id: 'm', model: 'c', usage: { input_tokens: 9, output_tokens: 1 } } }

function end(stop_reason: string, output_tokens = 5): JsonObject[] {
  return [{ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens } }, { type: 'message_stop' }]
}

function block(index: number, content_block: JsonObject, ...deltas: JsonObject[]): JsonObject[] {
  return [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

function read(...payloads: JsonObject[]): ModelEvent[] {
  const events: ModelEvent[] = []
  const stream = new MessagesStream('anthropic', wireNames(['files.list']))
  for (const payload of payloads) stream.push({ data: JSON.stringify(payload) }, events)
  return events
}

function of<T extends ModelEvent['type']>(type: T, events: readonly ModelEvent[]) {
  return events.filter((event): event is Extract<ModelEvent, { type: T }> => event.type === type)
}

test('a thought keeps its text to the byte, and its signature in one piece', () => {
  const thought = block(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: '  one ' },
    { type: 'thinking_delta', thinking: '\n' },
    { type: 'signature_delta', signature: 'S' },
    { type: 'signature_delta', signature: '1' },
  )
  expect(read(START, ...thought)).toEqual([
    { type: 'usage', usage: { inputTokens: 9 } },
    { type: 'reasoning', part: 0, text: '' },
    { type: 'reasoning', part: 0, text: '  one ' },
    { type: 'reasoning', part: 0, text: '\n' },
    { type: 'state', part: 0, state: { signature: 'S1' } },
  ])
})

test('a sealed thought, and one whose text is left out, are parts all the same', () => {
  const events = read(
    ...block(0, { type: 'redacted_thinking', data: 'RED' }),
    ...block(1, { type: 'thinking', thinking: '', signature: 'S2' }),
  )
  expect(of('state', events)).toEqual([
    { type: 'state', part: 0, state: { redacted: 'RED' } },
    { type: 'state', part: 1, state: { signature: 'S2' } },
  ])
  expect(of('reasoning', events).map(({ part }) => part)).toEqual([0, 1])
})

test('a thought cut before its signature has no state', () => {
  const cut = block(0, { type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: 'hm' })
  expect(of('state', read(...cut, ...end('max_tokens')))).toEqual([])
})

describe('the input of a call', () => {
  const use = { type: 'tool_use', id: 't1', name: 'look', input: {} }
  test.each([
    ['without any delta', use, [], '{}', {}],
    ['with an empty delta', use, [''], '{}', {}],
    ['in pieces', use, ['{"a"', ':1}'], '{"a":1}', undefined],
    ['whole at the start', { ...use, input: { a: 1 } }, [], '{"a":1}', { a: 1 }],
  ])('%s', (_, start, pieces, text, input) => {
    const events = read(
      ...block(0, start, ...pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }))),
    )
    const inputs = of('tool-input', events)
    expect(inputs[0]).toEqual({ type: 'tool-input', part: 0, id: 't1', name: 'look', text: '' })
    expect(inputs.map((event) => event.text).join('')).toBe(text)
    expect(events.at(-1)).toEqual({ type: 'tool-input-end', part: 0, ...(input && { input }) })
  })

  test('is not complete while its block is open', () => {
    const [open, grown] = block(0, use, { type: 'input_json_delta', partial_json: '{"a":' })
    expect(of('tool-input-end', read(START, open as JsonObject, grown as JsonObject))).toEqual([])
  })
})

test('a call shows the name of the tool, not that of the wire', () => {
  const name = wireNames(['files.list']).toWire('files.list')
  const events = read(...block(0, { type: 'tool_use', id: 't', name, input: {} }))
  expect(of('tool-input', events)[0]?.name).toBe('files.list')
})

test("a provider's own call carries its result, without what only the model can read", () => {
  const results = [{ type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'ENC' }]
  const use = { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} }
  const result = { type: 'web_search_tool_result', tool_use_id: 'srv', content: results }
  const events = read(
    { ...START },
    ...block(0, use, { type: 'input_json_delta', partial_json: '{"query":"x"}' }),
    ...block(1, result),
    ...block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'Found it.' }),
  )
  expect(of('tool-input', events)[0]?.executed).toBe('provider')
  expect(of('tool-output', events)).toEqual([
    { type: 'tool-output', part: 0, output: [{ type: 'web_search_result', url: 'https://a.example', title: 'A' }] },
  ])
  expect(of('state', events).at(-1)?.state).toEqual({
    use: { ...use, input: { query: 'x' } },
    result,
    after: 1,
    nth: 0,
  })
  expect(of('source', events)).toEqual([
    { type: 'source', source: { sourceId: 'm:0', url: 'https://a.example', title: 'A' } },
  ])
  expect(of('text', events)).toEqual([{ type: 'text', part: 1, text: 'Found it.' }])
})

test('a result whose call came before a pause gets a part of its own', () => {
  const result = { type: 'web_search_tool_result', tool_use_id: 'srv', content: [] }
  const events = read(START, ...block(0, result))
  expect(of('tool-input', events)).toEqual([
    { type: 'tool-input', part: 0, id: 'srv', name: 'web_search', text: '{}', executed: 'provider' },
  ])
  expect(of('state', events)).toEqual([{ type: 'state', part: 0, state: { result, after: 1, nth: 0 } }])
})

test('citations become sources and go with their text', () => {
  const citation = { type: 'web_search_result_location', url: 'https://a.example', title: 'A', encrypted_index: 'I' }
  const cited = block(
    0,
    { type: 'text', text: '', citations: [] },
    { type: 'citations_delta', citation },
    { type: 'text_delta', text: 'So it is.' },
  )
  const events = read(START, ...cited)
  expect(of('source', events)).toHaveLength(1)
  expect(of('state', events)).toEqual([{ type: 'state', part: 0, state: { citations: [citation] } }])
})

test.each([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content-filter'],
  ['pause_turn', 'pause'],
  ['of_tomorrow', 'unknown'],
])('%s ends the reply as %s', (rawStop, stop) => {
  const usage = { inputTokens: 9, outputTokens: 5 }
  expect(read(START, ...end(rawStop)).at(-1)).toEqual({ type: 'done', stop, rawStop, usage, model: 'c' })
})

test('why a reply was refused is a warning', () => {
  const stop_details = { type: 'refusal', explanation: 'Not this.' }
  const events = read(START, { type: 'message_delta', delta: { stop_reason: 'refusal', stop_details } })
  expect(of('warning', events)).toEqual([{ type: 'warning', code: 'provider.refusal', message: 'Not this.' }])
})

test('what it does not know, it passes over', () => {
  const text = block(0, { type: 'text', text: '' }, { type: 'future_delta', x: 1 }, { type: 'text_delta', text: 'ok' })
  const future = block(1, { type: 'future_block' }, { type: 'text_delta', text: 'not for us' })
  const events = read({ type: 'ping' }, { type: 'future_event' }, ...text, ...future)
  expect(events).toEqual([{ type: 'text', part: 0, text: 'ok' }])
})

test('an empty reply has no part', () => {
  const events = read(START, ...block(0, { type: 'text', text: '' }), ...end('end_turn', 0))
  expect(events.filter((event) => 'part' in event)).toEqual([])
})

test('without message_stop a reply with a stop reason is whole, one without is not', () => {
  const [delta] = end('end_turn')
  const cut = new MessagesStream('anthropic', wireNames([]))
  const whole = new MessagesStream('anthropic', wireNames([]))
  const events: ModelEvent[] = []
  cut.push({ data: JSON.stringify(START) }, events)
  cut.end(events)
  expect(of('done', events)).toEqual([])
  whole.push({ data: JSON.stringify(delta) }, events)
  whole.end(events)
  expect(of('done', events)).toHaveLength(1)
})

describe('an error in the stream', () => {
  const text = block(0, { type: 'text', text: 'Par' })
  test.each([
    ['overloaded_error', 'Overloaded', 'provider.overloaded', true],
    ['api_error', 'Internal', 'provider.overloaded', true],
    ['rate_limit_error', 'Slow down', 'provider.rate-limited', true],
    ['invalid_request_error', 'bad', 'provider.bad-request', false],
    ['invalid_request_error', 'prompt is too long: 9 tokens > 8 maximum', 'provider.context-overflow', false],
    ['authentication_error', 'no', 'provider.auth', false],
  ])('%s: %s', async (type, message, code, retryable) => {
    const failure = (...payloads: JsonObject[]) =>
      streamFailure(new MessagesStream('anthropic', wireNames([])), payloads)
    const error = { type: 'error', error: { type, message } }
    expect(await failure(error)).toMatchObject({ code, retryable, message, sentOutput: false })
    expect(await failure(...text, error)).toMatchObject({ code, sentOutput: true })
  })
})
