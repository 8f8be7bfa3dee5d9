import { describe, expect, test } from 'vitest'
import type { ModelEvent } from '../providers/provider.ts'
import { agentWorld, collect, collectPatiently, ofType, results, storedEvents, types } from '../testing/agent-world.ts'
import { microtasks } from '../testing/microtasks.ts'
import { providerFailure, type ScriptedStep } from '../testing/scripted-model.ts'
import { tool } from '../testing/tool-call.ts'

function pinging() {
  let executed = 0
  const ping = tool(() => void executed++, { name: 'ping' })
  return { tools: [ping], executed: () => executed }
}

async function play(steps: readonly ScriptedStep[], options: Parameters<typeof agentWorld>[1] = {}) {
  const world = agentWorld(steps, options)
  const session = await world.session()
  const run = session.run('Go')
  const events = await collectPatiently(run, world.clock)
  return { ...world, session, events, result: await run.result, requests: world.model.requests.length }
}

describe('calls decide, not the word the provider ends with (case 06)', () => {
  test.each(['stop', 'unknown', 'tool-calls'] as const)('%s with a complete call runs it', async (stop) => {
    const { tools, executed } = pinging()
    const { result, requests } = await play([{ text: 'Let me check.', calls: [{ name: 'ping' }], stop }, 'done'], {
      tools,
    })
    expect([executed(), requests, result.text, result.reason]).toEqual([1, 2, 'done', 'stop'])
  })

  test('tool-calls without a call ends the run, and no empty message is kept', async () => {
    const { tools, executed } = pinging()
    const { result, requests, session, events } = await play([{ stop: 'tool-calls' }], { tools })
    expect([executed(), requests, result.reason, result.text]).toEqual([0, 1, 'stop', ''])
    expect(session.state.history.map(({ role }) => role)).toEqual(['user'])
    expect(types(events).slice(-3)).toEqual(['turn-start', 'usage', 'finish'])
    expect(session.state.pending.message).toBeUndefined()
  })

  test('opened parts without content are no message either', async () => {
    const empty: ModelEvent[] = [
      { type: 'text', part: 0, text: '' },
      { type: 'done', stop: 'tool-calls' },
    ]
    const { session, result } = await play([[empty]])
    expect([result.reason, session.state.history.length]).toEqual(['stop', 1])
  })
})

describe('length', () => {
  test('without calls ends the run', async () => {
    const { result, session } = await play([{ text: 'Half a rep', stop: 'length' }])
    expect(result).toMatchObject({ reason: 'length', text: 'Half a rep' })
    expect(session.state.history.at(-1)).not.toHaveProperty('partial')
  })

  test('with calls starts none of them, tells the model and goes on', async () => {
    const { tools, executed } = pinging()
    const cut = { calls: [{ name: 'ping' }, { name: 'ping', inputText: '{"a": "b' }], stop: 'length' as const }
    const { result, requests, session } = await play([cut, 'Shorter.'], { tools })
    expect([executed(), requests, result.reason, result.text]).toEqual([0, 2, 'stop', 'Shorter.'])
    expect(
      results(session.state).map(({ outcome, output }) => [outcome, `${output}`.includes('length limit')]),
    ).toEqual([
      ['aborted', true],
      ['aborted', true],
    ])
  })

  test('twice in a row ends the run', async () => {
    const { tools } = pinging()
    const cut = { calls: [{ name: 'ping' }], stop: 'length' as const }
    const { result, requests, session } = await play([cut, cut], { tools })
    expect([result.reason, requests, results(session.state).length]).toEqual(['length', 2, 2])
  })

  test('keeps what a call that only reads had found already', async () => {
    const read = tool(() => 'found', { name: 'read', effect: 'read' })
    const { session } = await play(
      [
        {
          calls: [{ name: 'read' }],
          stop: 'length',
          beforeEnd: () => microtasks(),
        },
        'ok',
      ],
      { tools: [read] },
    )
    expect(results(session.state)).toMatchObject([{ outcome: 'ok', output: 'found' }])
  })
})

describe("a pause: a provider's own tools are still at work (case 17)", () => {
  const searching: ModelEvent[][] = [
    [
      { type: 'text', part: 0, text: 'Searching. ' },
      { type: 'tool-input', part: 1, text: '{"query":"x"}', name: 'web_search', id: 'srv_1', executed: 'provider' },
      { type: 'tool-input-end', part: 1 },
      { type: 'state', part: 1, state: { block: 'server_tool_use' } },
      { type: 'done', stop: 'pause', usage: { inputTokens: 10, outputTokens: 20 } },
    ],
  ]

  test('the reply is committed and goes on without a message of ours', async () => {
    const { tools, executed } = pinging()
    const found = { text: 'Found it.', usage: { inputTokens: 40, outputTokens: 8 } }
    const { result, model, session } = await play([searching, found], { tools })
    expect(result).toMatchObject({ reason: 'stop', text: 'Searching. Found it.' })
    expect(result.usage.run).toMatchObject({ requests: 2, inputTokens: 50, outputTokens: 28 })
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'assistant',
      parts: [
        { type: 'text', text: 'Searching. ' },
        { executed: 'provider', input: { query: 'x' }, providerState: { block: 'server_tool_use' }, state: 'done' },
      ],
    })
    expect(model.requests[1]?.tools).toEqual(model.requests[0]?.tools)
    expect([executed(), session.state.history.map(({ role }) => role)]).toEqual([0, ['user', 'assistant', 'assistant']])
  })

  test.each([
    ['with something said', searching],
    ['with nothing said', [[{ type: 'done', stop: 'pause' }]] as ModelEvent[][]],
  ])('again and again %s is bounded by the turns', async (_what, pause) => {
    const { result, requests, events } = await play([pause, pause, pause, pause], { maxTurns: 3 })
    expect([result.reason, requests]).toEqual(['max-turns', 3])
    expect(ofType(events, 'turn-start').map(({ turn, attempt }) => [turn, attempt])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ])
  })
})

describe('a refusal of the provider', () => {
  test('content-filter without text: no message, no success, no second request (case 11 D)', async () => {
    const { result, requests, session } = await play([{ stop: 'content-filter' }, 'never'])
    expect([result.reason, requests, session.state.history.length]).toEqual(['content-filter', 1, 1])
    await expect(session.follow(result.runId).text()).rejects.toMatchObject({ code: 'run.content-filter' })
  })

  test('after calls: they never start', async () => {
    const { tools, executed } = pinging()
    const { result, session } = await play([{ calls: [{ name: 'ping' }], stop: 'content-filter' }], { tools })
    expect([result.reason, executed(), results(session.state)[0]?.outcome]).toEqual(['content-filter', 0, 'aborted'])
  })

  test('as an error (case 11 E)', async () => {
    const error = providerFailure('provider.content-filter', { status: 400 })
    const { result, requests } = await play([{ error }, 'never'])
    expect(result).toMatchObject({ reason: 'content-filter', error: { code: 'provider.content-filter' } })
    expect([requests, result.usage.run]).toEqual([1, { requests: 1, inputTokens: 0, outputTokens: 0, totalTokens: 0 }])
  })
})

describe('a reply that breaks off (cases 07, 13)', () => {
  const retries = { max: 0 }
  const overloaded = providerFailure('provider.overloaded', { status: 502, retryable: true, sentOutput: true })

  test('an error after text: one finish with it, the text kept as partial', async () => {
    const { result, events, session } = await play([{ text: 'Working', error: overloaded }], { retries })
    expect(result).toMatchObject({
      reason: 'error',
      text: 'Working',
      error: { code: 'provider.overloaded', message: overloaded.message, retryable: true, details: { status: 502 } },
    })
    expect(types(events).slice(-4)).toEqual(['text-delta', 'message', 'usage', 'finish'])
    expect(session.state.history.at(-1)).toMatchObject({ partial: true, parts: [{ text: 'Working' }] })
    expect(ofType(events, 'usage')[0]).toMatchObject({ stop: 'error', call: { estimated: true } })
  })

  test('an error after a complete call: it never starts', async () => {
    const { tools, executed } = pinging()
    const { result, session } = await play([{ calls: [{ name: 'ping' }], error: overloaded }], { retries, tools })
    expect([result.reason, executed()]).toEqual(['error', 0])
    expect(results(session.state)).toMatchObject([{ outcome: 'aborted' }])
  })

  test('an error before anything: no message', async () => {
    const { session, events } = await play([{ error: overloaded }], { retries })
    expect(session.state.history).toHaveLength(1)
    expect(types(events).slice(-3)).toEqual(['turn-start', 'usage', 'finish'])
  })

  test('an end without an end is truncation, never success', async () => {
    const { result } = await play([{ text: 'Half', cut: true }], { retries })
    expect(result).toMatchObject({
      reason: 'error',
      text: 'Half',
      error: { code: 'provider.stream-truncated', retryable: true },
    })
  })

  test.each([
    ['a string', 'kaput' as unknown as Error],
    ['nothing', undefined as unknown as Error],
    ['an error of its own', new TypeError('kaput')],
  ])('a provider that throws %s', async (_what, error) => {
    const stream = () => {
      throw error
    }
    const { result } = await play([], { model: { id: 'x', model: 'x', api: 'x', capabilities: {}, stream } })
    expect(result).toMatchObject({ reason: 'error', error: { code: 'provider.protocol', retryable: false } })
    if (error) expect(result.error?.message).toContain('kaput')
  })

  test('what comes after the last word changes nothing', async () => {
    const { result } = await play([
      () => [
        [{ type: 'text', part: 0, text: 'Whole' }],
        [{ type: 'done', stop: 'stop' }],
        [{ type: 'text', part: 0, text: ' and more' }],
      ],
    ])
    expect(result).toMatchObject({ reason: 'stop', text: 'Whole' })
  })
})

test('half a surrogate pair waits for its other half (case 27)', async () => {
  const { events, session, store } = await play(
    [
      [
        [{ type: 'text', part: 0, text: 'a\ud83d' }],
        [{ type: 'text', part: 0, text: '\ude00b' }],
        [
          { type: 'tool-input', part: 1, name: 'ping', text: '{"q":"\\ud83d' },
          { type: 'tool-input', part: 1, text: '\\ude00"}' },
          { type: 'tool-input-end', part: 1 },
          { type: 'done', stop: 'tool-calls' },
        ],
      ],
      'ok',
    ],
    { tools: [tool(() => '123456789😀tail', { name: 'ping', maxResultChars: 10 })] },
  )
  expect(
    ofType(events, 'text-delta')
      .slice(0, 2)
      .map(({ text }) => text),
  ).toEqual(['a', '😀b'])
  expect(session.state.history[1]).toMatchObject({ parts: [{ text: 'a😀b' }, { input: { q: '😀' } }] })
  expect(`${results(session.state)[0]?.output}`.startsWith('123456789')).toBe(true)
  const stored = JSON.stringify(await storedEvents(store))
  expect([stored.isWellFormed(), stored.includes('\uFFFD')]).toEqual([true, false])
})

test('files and sources come with the message, their bytes stored before it', async () => {
  const bytes = new Uint8Array([1, 2, 3])
  const { session, store } = await play([
    [
      [
        { type: 'text', part: 0, text: 'See' },
        { type: 'source', source: { sourceId: 'w1', url: 'https://example.org' } },
        { type: 'file', mediaType: 'image/png', bytes, name: 'a.png' },
        { type: 'done', stop: 'stop' },
      ],
    ],
  ])
  const message = session.state.history.at(-1)
  expect(message).toMatchObject({ parts: [{ text: 'See' }, { type: 'source', sourceId: 'w1' }, { name: 'a.png' }] })
  const file = message?.role === 'assistant' ? message.parts[2] : undefined
  const sha256 = file?.type === 'file' ? (file.blob?.sha256 ?? '') : ''
  expect(await store.blobs.get('s', sha256)).toEqual(bytes)
})

test('warnings of the provider become notices, and no message', async () => {
  const warning: ModelEvent = { type: 'warning', code: 'unsupported-setting', message: 'No seed here.' }
  const { events, session } = await play([
    [[warning, { type: 'text', part: 0, text: 'x' }, { type: 'done', stop: 'stop' }]],
  ])
  expect(ofType(events, 'notice')).toMatchObject([
    { code: 'provider.warning', text: 'No seed here.', details: { code: 'unsupported-setting' } },
  ])
  expect(await collect(session.follow(events[0]?.runId ?? ''))).toContainEqual(ofType(events, 'notice')[0])
})
