import { describe, expect, test } from 'vitest'
import { streamFailure } from '../../testing/stream-failure.ts'
import type { ModelEvent } from '../provider.ts'
import { wireNames } from '../wire-names.ts'
import { endpointAt } from './quirks.ts'
import { chatStream } from './stream.ts'

const DONE = '[DONE]'
const quirks = await endpointAt('http://x').quirks()
const names = wireNames(['files.list', 'search', 'charge'])

/** The events of a stream of payloads: objects as JSON, text as it is. */
function events(payloads: readonly (object | string)[]): ModelEvent[] {
  const stream = chatStream('p', names, quirks)
  const all: ModelEvent[] = []
  for (const payload of payloads) {
    if (all.at(-1)?.type === 'done') break
    stream.push({ data: typeof payload === 'string' ? payload : JSON.stringify(payload) }, all)
  }
  if (all.at(-1)?.type !== 'done') stream.end(all)
  return all
}

function failure(payloads: readonly (object | string)[]): Promise<unknown> {
  return streamFailure(chatStream('p', names, quirks), payloads)
}

const delta = (value: object) => ({ choices: [{ index: 0, delta: value }] })
const text = (content: unknown) => delta({ content })
const tool = (...calls: object[]) => delta({ tool_calls: calls })
const fn = (name?: string | null, args?: unknown) => ({ function: { name, arguments: args } })
const stop = (finish_reason: string) => ({ choices: [{ index: 0, delta: {}, finish_reason }] })

function calls(payloads: readonly (object | string)[]): unknown {
  const found: { id?: string; name?: string; text: string; ended: boolean; input?: unknown }[] = []
  for (const event of events(payloads)) {
    if (event.type === 'tool-input') {
      const call = found[event.part] ?? { text: '', ended: false }
      found[event.part] = call
      expect(call.ended).toBe(false)
      if (event.id !== undefined) call.id = event.id
      if (event.name !== undefined) call.name = event.name
      call.text += event.text
    } else if (event.type === 'tool-input-end') {
      const call = found[event.part]
      if (call) Object.assign(call, { ended: true, ...(event.input && { input: event.input }) })
    }
  }
  return found
}

const whole = (id: string, name: string, input: string) => ({ id, name, text: input, ended: true })

describe('tool calls', () => {
  test.each<[string, readonly (object | string)[], unknown]>([
    [
      'without an index, one after the other',
      [
        tool({ id: 'a', ...fn('search', '{"q":') }),
        tool({ ...fn(undefined, '1}') }),
        tool({ id: 'b', ...fn('charge', '{"id":') }),
        tool({ id: null, ...fn(undefined, '2}') }),
      ],
      [whole('a', 'search', '{"q":1}'), whole('b', 'charge', '{"id":2}')],
    ],
    [
      'in turns, by their index',
      [
        tool({ index: 0, id: 'a', ...fn('search', '{"q"') }, { index: 1, id: 'b', ...fn('charge', '{"id"') }),
        tool({ index: 1, ...fn(undefined, ':2}') }),
        tool({ index: 0, ...fn(undefined, ':1}') }),
      ],
      [whole('a', 'search', '{"q":1}'), whole('b', 'charge', '{"id":2}')],
    ],
    [
      'all with the same index and their own ids',
      [tool({ index: 0, id: 'a', ...fn('search', '{}') }, { index: 0, id: 'b', ...fn('search', '{}') })],
      [whole('a', 'search', '{}'), whole('b', 'search', '{}')],
    ],
    [
      'with a new id in every delta of one index',
      [tool({ index: 0, id: 'a', ...fn('search', '{"q"') }), tool({ index: 0, id: 'z', ...fn(null, ':1}') })],
      [whole('a', 'search', '{"q":1}')],
    ],
    [
      'without ids and indexes, each in one piece',
      [tool(fn('search', { q: 1 }), fn('search', { q: 2 }), fn('charge', { id: 3 }))],
      [
        { name: 'search', text: '{"q":1}', ended: true },
        { name: 'search', text: '{"q":2}', ended: true },
        { name: 'charge', text: '{"id":3}', ended: true },
      ],
    ],
    [
      'with the name in every delta',
      [tool({ index: 0, id: 'a', ...fn('search', '{"q"') }), tool({ index: 0, id: 'a', ...fn('search', ':1}') })],
      [whole('a', 'search', '{"q":1}')],
    ],
    [
      'named late',
      [
        tool({ index: 0, id: 'a', ...fn('', '{"q"') }),
        tool({ index: 0, ...fn('search', ':') }),
        tool({ index: 0, ...fn(null, '1}') }),
      ],
      [whole('a', 'search', '{"q":1}')],
    ],
    [
      'named late, under another id',
      [tool({ index: 0, id: 'a', ...fn(null, '{"q"') }), tool({ index: 0, id: 'z', ...fn('search', ':1}') })],
      [whole('a', 'search', '{"q":1}')],
    ],
    [
      'with an id that comes late',
      [tool(fn('search', '{"q"')), tool({ id: 'a', ...fn(null, ':1}') })],
      [whole('a', 'search', '{"q":1}')],
    ],
    [
      'with an empty tail',
      [tool({ index: 0, id: 'a', ...fn('charge', '{"id":7}') }), tool({ index: 0, ...fn(undefined, '') }), tool()],
      [whole('a', 'charge', '{"id":7}')],
    ],
    [
      'repeated as a whole',
      [
        tool({ index: 0, id: 'a', ...fn('charge', '{"id"') }),
        tool({ index: 0, ...fn(undefined, ':7}') }),
        tool({ index: 0, id: 'a', ...fn('charge', '{"id":7}') }),
      ],
      [whole('a', 'charge', '{"id":7}')],
    ],
    [
      'repeated with other white space and no id',
      [tool(fn('charge', '{"id": 7}')), tool(fn('charge', '{"id":7}'))],
      [{ name: 'charge', text: '{"id": 7}', ended: true }],
    ],
    ['with an empty input', [tool({ id: 'a', ...fn('search', '') })], [{ ...whole('a', 'search', ''), input: {} }]],
    ['with no input', [tool({ id: 'a', ...fn('search', null) })], [{ ...whole('a', 'search', ''), input: {} }]],
    ['with an object', [tool({ id: 'a', ...fn('search', { q: '7' }) })], [whole('a', 'search', '{"q":"7"}')]],
    [
      'with broken input, which is left to the tools',
      [tool({ id: 'a', ...fn('search', '{"q"') })],
      [whole('a', 'search', '{"q"')],
    ],
    ['by wire name', [tool({ id: 'a', ...fn(names.toWire('files.list'), '{}') })], [whole('a', 'files.list', '{}')]],
    ['made up', [tool({ id: 'a', ...fn('toString', '{}') })], [whole('a', 'toString', '{}')]],
    [
      'that make no sense',
      [tool(7 as unknown as object, { id: 'a', ...fn('search', '{}') })],
      [whole('a', 'search', '{}')],
    ],
  ])('%s', (_, deltas, expected) => {
    expect(calls([...deltas, stop('tool_calls'), DONE])).toEqual(expected)
  })

  test('a name that comes late opens the part with all the text there is', () => {
    const all = events([
      tool({ index: 0, id: 'a', ...fn(null, '{"q"') }),
      tool({ index: 0, ...fn('search', ':1}') }),
      stop('tool_calls'),
    ])
    expect(all[0]).toEqual({ type: 'tool-input', part: 0, id: 'a', name: 'search', text: '{"q":1}' })
  })

  test('one that is never named is an error, unless the reply was cut', () => {
    const nameless = tool({ index: 0, id: 'a', ...fn(undefined, '{}') })
    for (const end of [stop('tool_calls'), DONE]) {
      expect(() => events([nameless, end])).toThrow(expect.objectContaining({ code: 'provider.protocol' }))
    }
    expect(events([nameless, stop('length')])).toEqual([{ type: 'done', stop: 'length', rawStop: 'length' }])
  })

  test('one is complete as soon as the next begins', () => {
    const all = events([tool({ id: 'a', ...fn('search', '{}') }), tool({ id: 'b', ...fn('search', '{"q"') })])
    expect(all.map((event) => event.type)).toEqual(['tool-input', 'tool-input-end', 'tool-input'])
  })

  test('the half one of a cut reply stays open', () => {
    const all = events([tool({ id: 'a', ...fn('search', '{}') }, { id: 'b', ...fn('search', '{"q"') }), stop('length')])
    expect(all.filter((event) => event.type === 'tool-input-end')).toEqual([{ type: 'tool-input-end', part: 0 }])
  })

  test('opaque data belongs to the call it came with', () => {
    const extra = { google: { thought_signature: 'TS' } }
    const all = events([
      tool(
        { index: 0, id: 'a', ...fn('search', '{}'), extra_content: extra },
        { index: 1, id: 'b', ...fn('search', '{}') },
      ),
    ])
    expect(all.filter((event) => event.type === 'state')).toEqual([
      { type: 'state', part: 0, state: { extra_content: extra } },
    ])
  })
})

describe('text and reasoning', () => {
  const said = (payloads: readonly (object | string)[]) =>
    events(payloads).flatMap((event) =>
      event.type === 'text' || event.type === 'reasoning' ? [[event.type, event.part, event.text]] : [],
    )

  test.each<[string, object]>([
    ['reasoning_content', { reasoning_content: 'why', content: null }],
    ['reasoning', { reasoning: 'why', content: '' }],
    ['both', { reasoning: 'why', reasoning_content: 'why' }],
    ['reasoning_details', { reasoning_details: [{ type: 'reasoning.text', text: 'why' }], reasoning: 'why' }],
    ['a summary', { reasoning_details: [{ type: 'reasoning.summary', summary: 'why' }] }],
    ['pieces of content', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'why' }] }] }],
  ])('reasoning as %s', (_, value) => {
    expect(said([delta(value), text('so')])).toEqual([
      ['reasoning', 0, 'why'],
      ['text', 1, 'so'],
    ])
  })

  test('parts follow the order in which the model turns', () => {
    const all = [
      text('a'),
      text('b'),
      tool({ id: 'k', ...fn('search', '{}') }),
      text(''),
      text('c'),
      delta({ reasoning: 'd' }),
    ]
    expect(said(all)).toEqual([
      ['text', 0, 'a'],
      ['text', 0, 'b'],
      ['text', 2, 'c'],
      ['reasoning', 3, 'd'],
    ])
  })

  test('encrypted reasoning is kept and never shown', () => {
    const detail = { type: 'reasoning.encrypted', data: 'ENC', id: 'rd', index: 0 }
    expect(events([delta({ reasoning_details: [detail] }), stop('stop')])).toEqual([
      { type: 'state', state: { reasoning_details: [detail] } },
      { type: 'done', stop: 'stop', rawStop: 'stop' },
    ])
  })

  test('pieces of one reasoning detail are put together', () => {
    const piece = (value: object) => delta({ reasoning_details: [{ type: 'reasoning.text', index: 0, ...value }] })
    const all = events([
      piece({ text: 'a' }),
      piece({ text: 'b', signature: null }),
      piece({ signature: 'S' }),
      piece({ index: 1, text: 'c' }),
      stop('stop'),
    ])
    expect(all.find((event) => event.type === 'state')).toEqual({
      type: 'state',
      state: {
        reasoning_details: [
          { type: 'reasoning.text', index: 0, text: 'ab', signature: 'S' },
          { type: 'reasoning.text', index: 1, text: 'c' },
        ],
      },
    })
  })

  test('a refusal is shown and told apart', () => {
    expect(events([delta({ refusal: 'I will not' }), stop('stop')])).toEqual([
      { type: 'text', part: 0, text: 'I will not' },
      { type: 'done', stop: 'content-filter', rawStop: 'stop' },
    ])
  })
})

describe('the end', () => {
  test.each([
    ['stop', 'stop'],
    ['tool_calls', 'tool-calls'],
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['eos', 'unknown'],
    ['constructor', 'unknown'],
  ])('%s is %s', (raw, mapped) => {
    expect(events([text('x'), stop(raw), DONE]).at(-1)).toEqual({ type: 'done', stop: mapped, rawStop: raw })
  })

  test('without a finish reason and a last frame there is none', () => {
    expect(events([text('x')]).some((event) => event.type === 'done')).toBe(false)
  })

  test('either of them is enough', () => {
    expect(events([text('x'), stop('stop')]).at(-1)).toMatchObject({ type: 'done', stop: 'stop' })
    expect(events([text('x'), DONE]).at(-1)).toEqual({ type: 'done', stop: 'unknown' })
  })

  test('nothing after it counts', () => {
    expect(
      events([text('x'), stop('stop'), DONE, text('IGNORED')]).filter((event) => event.type === 'text'),
    ).toHaveLength(1)
  })

  test('chunks that say nothing do nothing', () => {
    const idle = [
      '',
      ': keepalive',
      '{}',
      { choices: null },
      { choices: [] },
      { choices: [null] },
      { choices: [{}] },
      { choices: [{ delta: { content: null, tool_calls: null } }], usage: null },
      { prompt_filter_results: [] },
    ]
    expect(events([...idle, stop('stop')])).toEqual([{ type: 'done', stop: 'stop', rawStop: 'stop' }])
  })

  const usage = { prompt_tokens: 11, completion_tokens: 2, total_tokens: 13 }
  test.each<[string, readonly object[]]>([
    ['behind the last choice', [stop('stop'), { choices: [], usage }]],
    ['inside the choice', [{ choices: [{ delta: {}, finish_reason: 'stop', usage }] }]],
    [
      'on every chunk, growing',
      [
        { ...text('y'), usage: { ...usage, completion_tokens: 1 } },
        { ...stop('stop'), usage },
      ],
    ],
    ['where Groq puts it', [{ ...stop('stop'), x_groq: { usage } }]],
  ])('usage %s', (_, chunks) => {
    expect(events([text('x'), ...chunks, DONE]).at(-1)).toMatchObject({ usage: { inputTokens: 11, outputTokens: 2 } })
  })

  test('the model that answered is named', () => {
    expect(
      events([
        { model: 'm-2025', ...text('x') },
        { model: '', ...stop('stop') },
      ]).at(-1),
    ).toMatchObject({ model: 'm-2025' })
  })
})

describe('errors in a stream', () => {
  test.each<[string, object | string, object]>([
    [
      'beside a choice',
      { ...stop('error'), error: { code: 502, message: 'upstream' } },
      { code: 'provider.overloaded', status: 502, message: 'upstream' },
    ],
    ['as text', { error: 'kaput' }, { message: 'kaput' }],
    [
      'as an object of its own',
      { object: 'error', message: 'no', code: 404 },
      { code: 'provider.not-found', message: 'no' },
    ],
    ['only as a finish reason', stop('error'), { code: 'provider.overloaded' }],
    [
      'an overlong prompt',
      { choices: [], error: { code: 400, message: 'prompt is too long' } },
      { code: 'provider.context-overflow', retryable: false },
    ],
    ['half a payload', '{"choices":[{"delta":{"content":"half', { code: 'provider.protocol' }],
  ])('%s', async (_, payload, expected) => {
    expect(await failure([text('x'), payload, DONE])).toMatchObject(expected)
  })

  test('say whether something was shown before', async () => {
    expect(await failure([{ error: 'a' }])).toMatchObject({ sentOutput: false })
    expect(await failure([text('x'), { error: 'a' }])).toMatchObject({ sentOutput: true })
  })
})
