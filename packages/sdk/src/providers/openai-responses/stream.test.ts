import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../protocol/json.ts'
import { streamFailure } from '../../testing/stream-failure.ts'
import type { ModelEvent } from '../provider.ts'
import { wireNames } from '../wire-names.ts'
import { ResponseStream } from './stream.ts'

function read(...payloads: JsonObject[]): ModelEvent[] {
  const events: ModelEvent[] = []
  const stream = new ResponseStream('openai', wireNames(['files.list']))
  for (const payload of payloads) stream.push({ data: JSON.stringify(payload) }, events)
  return events
}

function of<T extends ModelEvent['type']>(type: T, events: readonly ModelEvent[]) {
  return events.filter((event): event is Extract<ModelEvent, { type: T }> => event.type === type)
}

function joined(type: 'text' | 'reasoning' | 'tool-input', events: readonly ModelEvent[]): string {
  return of(type, events)
    .map(({ text }) => text)
    .join('')
}

const CREATED = { type: 'response.created', response: { id: 'r' } }
const COMPLETED = { type: 'response.completed', response: { status: 'completed', model: 'gpt-5.2-2026' } }

const added = (item: JsonObject, output_index = 0) => ({ type: 'response.output_item.added', output_index, item })
const done = (item: JsonObject, output_index = 0) => ({ type: 'response.output_item.done', output_index, item })
const at0 = (type: string, fields: JsonObject) => ({ type: `response.${type}`, output_index: 0, ...fields })

describe('the arguments of a call', () => {
  const call = { type: 'function_call', id: 'fc', call_id: 'k1', name: 'run' }
  const open = added({ ...call, arguments: '' })
  const delta = (text: string) => at0('function_call_arguments.delta', { delta: text })
  const whole = (text: string) => at0('function_call_arguments.done', { arguments: text })
  const ls = '{"cmd":"ls"}'

  test.each([
    ['in deltas', [open, delta('{"cmd":'), delta('"ls"}'), whole(ls), done({ ...call, arguments: ls })]],
    ['only when they are whole, before an empty item', [open, whole(ls), done({ ...call, arguments: '{}' })]],
    ['begun in deltas, and then whole', [open, delta('{"cmd":'), whole(ls), done({ ...call, arguments: ls })]],
    ['only with the item', [done({ ...call, arguments: ls })]],
    ['as an object', [done({ ...call, arguments: { cmd: 'ls' } })]],
    ['before the name', [delta('{"cmd":'), delta('"ls"}'), done({ ...call, arguments: ls })]],
    ['without the last event of the item', [open, delta(ls)]],
  ])('come %s', (_, payloads) => {
    const events = read(...payloads, COMPLETED)
    expect(joined('tool-input', events)).toBe(ls)
    expect(of('tool-input', events)[0]).toMatchObject({ part: 0, id: 'k1', name: 'run' })
    expect(of('tool-input-end', events)).toEqual([{ type: 'tool-input-end', part: 0 }])
    expect(events.at(-1)).toMatchObject({ type: 'done', stop: 'tool-calls' })
  })

  test.each(['', null, '{}'])('that are %j are an empty object', (nothing) => {
    const events = read(open, done({ ...call, arguments: nothing }), COMPLETED)
    expect(joined('tool-input', events)).toBe('{}')
    expect(of('tool-input-end', events)).toHaveLength(1)
  })

  test('that are cut never become whole', () => {
    const incomplete_details = { reason: 'max_output_tokens' }
    const events = read(open, delta('{"cmd":"rm'), { type: 'response.incomplete', response: { incomplete_details } })
    expect(of('tool-input-end', events)).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'done', stop: 'length', rawStop: 'max_output_tokens' })
  })

  test('of several calls without any index do not mix', () => {
    const events = read(
      { type: 'response.output_item.done', item: { ...call, arguments: '{"n":1}' } },
      { type: 'response.output_item.done', item: { ...call, id: 'fc2', call_id: 'k2', arguments: '{"n":2}' } },
    )
    expect(of('tool-input', events).map(({ part, text }) => [part, text])).toEqual([
      [0, '{"n":1}'],
      [1, '{"n":2}'],
    ])
  })

  test('keep the id of their item, and none where it has none', () => {
    const { id: _, ...anonymous } = call
    expect(of('state', read(done({ ...call, arguments: ls })))).toEqual([
      { type: 'state', part: 0, state: { id: 'fc' } },
    ])
    expect(of('state', read(done({ ...anonymous, arguments: ls })))).toEqual([])
  })

  test('belong to the tool, not to its name on the wire', () => {
    const name = wireNames(['files.list']).toWire('files.list')
    expect(of('tool-input', read(done({ ...call, name, arguments: ls })))[0]?.name).toBe('files.list')
  })
})

describe('thoughts', () => {
  const summary = (summary_index: number, delta: string) =>
    at0('reasoning_summary_text.delta', { summary_index, delta })
  const sealed = { type: 'reasoning', id: 'rs', status: 'completed', summary: [], encrypted_content: 'E' }

  test('in several summaries stand apart', () => {
    const text = (value: string) => ({ type: 'summary_text', text: value })
    const item = { ...sealed, summary: [text('One. Two.'), text('Three.')] }
    const events = read(summary(0, 'One.'), summary(0, ' Two.'), summary(1, 'Three.'), done(item))
    expect(joined('reasoning', events)).toBe('One. Two.\n\nThree.')
    expect(new Set(of('reasoning', events).map(({ part }) => part))).toEqual(new Set([0]))
  })

  test('come with the item where they did not stream', () => {
    const summaries = [
      { type: 'summary_text', text: 'One.' },
      { type: 'summary_text', text: 'Two.' },
    ]
    expect(joined('reasoning', read(done({ ...sealed, summary: summaries })))).toBe('One.\n\nTwo.')
  })

  test('themselves are shown where a server gives them', () => {
    const content = [{ type: 'reasoning_text', text: 'Hm.' }]
    const events = read(
      at0('reasoning_text.delta', { content_index: 0, delta: 'Hm.' }),
      at0('reasoning_text.done', { content_index: 0, text: 'Hm.' }),
      done({ type: 'reasoning', id: 'rs', summary: [], content }),
    )
    expect(joined('reasoning', events)).toBe('Hm.')
    expect(of('state', events)[0]?.state).toEqual({ item: { type: 'reasoning', id: 'rs', summary: [], content } })
  })

  test('that are sealed altogether are a part all the same', () => {
    const { status: _, ...item } = sealed
    expect(read(added(sealed), done(sealed))).toEqual([
      { type: 'reasoning', part: 0, text: '' },
      { type: 'state', part: 0, state: { item } },
    ])
  })

  test('that only the server kept take the id of what they led to with them', () => {
    const lost = { type: 'reasoning', id: 'rs', summary: [] }
    const call = { type: 'function_call', call_id: 'k', name: 'run', arguments: '{}' }
    const events = read(done(lost), done({ ...call, id: 'fc1' }, 1), done({ ...call, id: 'fc2', call_id: 'k2' }, 2))
    expect(of('reasoning', events)).toEqual([])
    expect(of('state', events)).toEqual([{ type: 'state', part: 1, state: { id: 'fc2' } }])
  })
})

describe('a message', () => {
  const message = { type: 'message', id: 'msg', role: 'assistant', content: [] }
  const delta = (text: string, content_index = 0) => at0('output_text.delta', { content_index, delta: text })
  const whole = [{ type: 'output_text', text: 'Hello' }]

  test.each([
    ['in deltas', [delta('Hel'), delta('lo'), at0('output_text.done', { content_index: 0, text: 'Hello' })]],
    ['only when it is whole', [at0('output_text.done', { content_index: 0, text: 'Hello' })]],
    ['only with the item', []],
  ])('comes %s', (_, payloads) => {
    expect(joined('text', read(added(message), ...payloads, done({ ...message, content: whole })))).toBe('Hello')
  })

  test('comes with the response where nothing was streamed', () => {
    const response = { status: 'completed', output: [{ ...message, content: whole }] }
    expect(joined('text', read({ type: 'response.completed', response }))).toBe('Hello')
  })

  test('says whether it is the answer', () => {
    const events = read(delta('Hm'), done({ ...message, phase: 'commentary', content: [] }))
    expect(of('state', events)).toEqual([{ type: 'state', part: 0, state: { id: 'msg', phase: 'commentary' } }])
  })

  test('of several texts is several parts', () => {
    expect(of('text', read(delta('a'), delta('b', 1))).map(({ part }) => part)).toEqual([0, 1])
  })

  test('without text is no part', () => {
    expect(read(added(message), done(message)).filter((event) => 'part' in event)).toEqual([])
  })

  const annotation = { type: 'url_citation', url: 'https://a.example', title: 'A' }
  const source = { sourceId: 'r:0', url: 'https://a.example', title: 'A' }
  test.each([
    ['as they come', [at0('output_text.annotation.added', { annotation })]],
    ['with the item', []],
  ])('names its sources %s, once', (_, payloads) => {
    const item = { ...message, content: [{ type: 'output_text', text: 'So', annotations: [annotation] }] }
    expect(of('source', read(CREATED, delta('So'), ...payloads, done(item)))).toEqual([{ type: 'source', source }])
  })

  test.each([
    ['in deltas', [at0('refusal.delta', { content_index: 0, delta: 'No.' })]],
    ['with the item', []],
  ])('that refuses %s ends so', (_, payloads) => {
    const item = { ...message, content: [{ type: 'refusal', refusal: 'No.' }] }
    const events = read(...payloads, done(item), COMPLETED)
    expect(joined('text', events)).toBe('No.')
    expect(events.at(-1)).toMatchObject({ type: 'done', stop: 'content-filter' })
  })
})

describe("a provider's own call", () => {
  test('shows what came of it, and goes back as it came', () => {
    const item = { type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search', query: 'x' } }
    expect(read(added({ type: 'web_search_call', id: 'ws' }), done(item))).toEqual([
      { type: 'tool-input', part: 0, text: '', name: 'web_search', id: 'ws', executed: 'provider' },
      { type: 'tool-input', part: 0, text: '{}' },
      { type: 'tool-input-end', part: 0, input: {} },
      { type: 'tool-output', part: 0, output: { status: 'completed', action: item.action } },
      { type: 'state', part: 0, state: { item } },
    ])
  })

  test('to an MCP server goes by the name of its tool', () => {
    const call = { type: 'mcp_call', id: 'mcp', name: 'roll', server_label: 'dice' }
    const events = read(
      added(call),
      at0('mcp_call_arguments.delta', { delta: '{"n":2}' }),
      done({ ...call, arguments: '{"n":2}', output: '7', error: null }),
    )
    expect(of('tool-input', events)[0]).toMatchObject({ name: 'roll', executed: 'provider' })
    expect(joined('tool-input', events)).toBe('{"n":2}')
    expect(of('tool-output', events)).toEqual([{ type: 'tool-output', part: 0, output: { output: '7' } }])
  })

  test('of the interpreter shows its code', () => {
    const item = { type: 'code_interpreter_call', id: 'ci', code: 'print(1)', container_id: 'c', outputs: null }
    expect(of('tool-input-end', read(done(item)))).toEqual([
      { type: 'tool-input-end', part: 0, input: { code: 'print(1)' } },
    ])
  })

  test('that draws gives a file, and keeps its bytes nowhere else', () => {
    const item = { type: 'image_generation_call', id: 'ig', status: 'completed', result: 'AQID', output_format: 'webp' }
    const events = read(done(item))
    const bytes = new Uint8Array([1, 2, 3])
    expect(of('file', events)).toEqual([{ type: 'file', mediaType: 'image/webp', bytes, name: 'image.webp' }])
    expect(JSON.stringify([of('state', events), of('tool-output', events)])).not.toContain('AQID')
  })

  test('does not go on the run, and one for somebody else is passed over', () => {
    const events = read(
      done({ type: 'file_search_call', id: 'fs' }),
      done({ type: 'computer_call', id: 'cc' }, 1),
      COMPLETED,
    )
    expect(of('tool-input', events).filter(({ name }) => name !== undefined)).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ type: 'done', stop: 'stop' })
  })

  test('whose picture is no base64 is a protocol error', () => {
    const item = { type: 'image_generation_call', id: 'ig', result: 'not base64!' }
    expect(() => read(done(item))).toThrow(expect.objectContaining({ code: 'provider.protocol' }))
  })
})

describe('the end', () => {
  test.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content-filter'],
    ['of_tomorrow', 'unknown'],
  ])('incomplete for %s is %s', (reason, stop) => {
    const response = { status: 'incomplete', incomplete_details: { reason } }
    expect(read({ type: 'response.incomplete', response })).toEqual([{ type: 'done', stop, rawStop: reason }])
  })

  test('names the model that answered', () => {
    expect(read(COMPLETED)).toEqual([{ type: 'done', stop: 'stop', model: 'gpt-5.2-2026' }])
  })

  test('that never comes is none', () => {
    const stream = new ResponseStream('openai', wireNames([]))
    const events: ModelEvent[] = []
    stream.push({ data: JSON.stringify(at0('output_text.delta', { delta: 'Hel' })) }, events)
    stream.end()
    expect(events.map(({ type }) => type)).toEqual(['text'])
  })

  const failed = (error: JsonObject) => ({ type: 'response.failed', response: { status: 'failed', error } })
  test.each([
    ['a failed response', failed({ code: 'server_error', message: 'boom' }), 'provider.overloaded', true],
    ['a failed response', failed({ code: 'rate_limit_exceeded', message: 'slow' }), 'provider.rate-limited', true],
    [
      'an error event',
      { type: 'error', code: 'server_error', message: 'boom', param: null },
      'provider.overloaded',
      true,
    ],
    [
      'a wrapped error',
      { type: 'error', error: { code: 'insufficient_quota', message: 'pay' } },
      'provider.quota',
      false,
    ],
    [
      'an overflow',
      failed({ code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' }),
      'provider.context-overflow',
      false,
    ],
    ['a failure without a word', { type: 'response.failed', response: {} }, 'provider.overloaded', true],
  ])('%s is an error: %#', async (_, payload, code, retryable) => {
    const failure = (...payloads: JsonObject[]) => streamFailure(new ResponseStream('openai', wireNames([])), payloads)
    expect(await failure(payload)).toMatchObject({ code, retryable, sentOutput: false })
    const begun = at0('output_text.delta', { delta: 'Hel' })
    expect(await failure(begun, payload)).toMatchObject({ code, sentOutput: true })
  })
})

test('what it does not know, it passes over', () => {
  const unknown = [
    { type: 'keepalive' },
    { type: 'response.of_tomorrow' },
    added({ type: 'of_tomorrow' }),
    done({ type: 'of_tomorrow' }),
  ]
  expect(read(...unknown)).toEqual([])
})
