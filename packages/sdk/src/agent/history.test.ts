import { describe, expect, test } from 'vitest'
import type { Message } from '../protocol/messages.ts'
import { openai } from '../providers/openai-chat/index.ts'
import { memoryStore } from '../stores/memory.ts'
import { agentWorld, ofType, stateWhere, storedEvents } from '../testing/agent-world.ts'
import { brokenPromises } from '../testing/promises.ts'
import { recordingServer } from '../testing/recording-server.ts'
import { never, tool } from '../testing/tool-call.ts'

const user = (id: string, text = id): Message => ({ role: 'user', id, at: 1, parts: [{ type: 'text', text }] })
const texts = (messages: readonly Message[]): string[] =>
  messages.map((message) =>
    message.role === 'note'
      ? message.text
      : message.parts.map((part) => ('text' in part && part.text !== undefined ? part.text : part.type)).join(' '),
  )

describe('regenerate', () => {
  test('is a rewind to before the reply, then continue: the model is asked the same again', async () => {
    const world = agentWorld(['One.', 'Other.'])
    const session = await world.session()
    await session.run('Go').result
    const [asked] = session.state.history
    expect(await session.rewind(asked?.id)).toMatchObject({ status: 'done' })
    expect(await session.continue().result).toMatchObject({ reason: 'stop', text: 'Other.' })
    expect(world.model.requests.map(({ messages }) => texts(messages))).toEqual([['Go'], ['Go']])
    expect(texts(session.state.history)).toEqual(['Go', 'Other.'])
    const log = await storedEvents(world.store)
    expect(ofType(log, 'message').map(({ message }) => texts([message])[0])).toEqual(['Go', 'One.', 'Other.'])
    expect(session.state.usage.total.requests).toBe(2)
    expect(brokenPromises(log)).toEqual([])
  })
})

describe('edit and resend', () => {
  test('is a rewind to before the message, then a run', async () => {
    const world = agentWorld(['One.', 'Two.', 'Other.'])
    const session = await world.session()
    await session.run('1').result
    const kept = session.state.history.at(-1)?.id
    await session.run('2').result
    await session.rewind(kept)
    expect(await session.run('2, edited').text()).toBe('Other.')
    expect(texts(world.model.requests[2]?.messages ?? [])).toEqual(['1', 'One.', '2, edited'])
    await session.rewind()
    expect(session.state.history).toEqual([])
  })

  test('is refused while a run is open, and for a message the history does not have', async () => {
    const world = agentWorld(['One.', { text: 'Hm', beforeEnd: () => never() }])
    const session = await world.session()
    await session.run('1').result
    expect((await session.rewind('msg_none')).error?.code).toBe('session.unknown-message')
    const run = session.run('2')
    await stateWhere(session, ({ pending }) => (pending.message?.parts.length ?? 0) > 0)
    expect((await session.rewind()).error?.code).toBe('session.busy')
    await session.abort()
    await run.result
    expect(await session.rewind()).toMatchObject({ status: 'done' })
  })
})

describe('a fork', () => {
  test('has the history as far as asked and the bytes it names, and goes its own way', async () => {
    const world = agentWorld(['One.', 'Two.', 'There.', 'Here.'])
    const session = await world.session()
    const bytes = new Uint8Array([1, 2, 3])
    await session.run([{ type: 'image', mediaType: 'image/png', bytes }]).result
    const upTo = session.state.history.at(-1)?.id ?? ''
    await session.run('2').result
    const fork = await session.fork({ id: 'f', toMessageId: upTo, title: 'Another way' })
    expect(texts(fork.state.history)).toEqual(['image', 'One.'])
    expect(fork.state.row).toMatchObject({ title: 'Another way' })
    const [image] = fork.state.history[0]?.role === 'user' ? fork.state.history[0].parts : []
    const sha256 = image?.type === 'image' ? (image.blob?.sha256 ?? '') : ''
    await world.agent.delete('s')
    expect(await world.store.blobs.get('f', sha256)).toEqual(bytes)
    expect(await fork.run('And?').text()).toBe('There.')
    expect(texts(world.model.requests[2]?.messages ?? [])).toEqual(['image', 'One.', 'And?'])
    expect(brokenPromises(await storedEvents(world.store, 'f'))).toEqual([])
  })

  test('of the open run is refused, of what was before it is not', async () => {
    const world = agentWorld(['One.', { calls: [{ name: 'probe' }] }], {
      tools: [tool(() => 'x', { needsApproval: true })],
    })
    const session = await world.session()
    await session.run('1').result
    const before = session.state.history.at(-1)?.id ?? ''
    const run = session.run('2')
    await stateWhere(session, ({ status }) => status === 'waiting')
    await expect(session.fork()).rejects.toMatchObject({ code: 'session.busy' })
    const fork = await session.fork({ toMessageId: before })
    expect(texts(fork.state.history)).toEqual(['1', 'One.'])
    await expect(session.fork({ toMessageId: 'msg_none' })).rejects.toMatchObject({ code: 'session.unknown-message' })
    await expect(session.fork({ id: 's', toMessageId: before })).rejects.toMatchObject({ code: 'session.conflict' })
    await session.abort()
    await run.result
    expect((await session.fork()).state.history).toHaveLength(4)
  })
})

describe('a history from elsewhere', () => {
  test('is stored 500 messages an event, and is there in any process', async () => {
    const history = Array.from({ length: 1_001 }, (_, i) => user(`m${i}`))
    const store = memoryStore({ now: () => 1_000_000 })
    const first = agentWorld([], { store: { ...store, close: async () => {} } })
    const session = await first.agent.session('s', { history })
    expect(session.state.history).toEqual(history)
    const events = ofType(await storedEvents(store), 'history')
    expect(events.map(({ messages }) => messages.length)).toEqual([500, 500, 1])
    await first.agent.close()
    const second = agentWorld(['Hi.'], { store })
    const reopened = await second.session()
    expect(reopened.state.history).toEqual(history)
    await reopened.run('And now?').result
    expect(second.model.requests[0]?.messages).toHaveLength(1_002)
  })

  test('with a call that has no result tells the model that its outcome is unknown', async () => {
    const said = JSON.stringify({ choices: [{ index: 0, delta: { content: 'I see.' }, finish_reason: 'stop' }] })
    const server = await recordingServer([{ body: `data: ${said}\n\ndata: [DONE]\n\n` }])
    const call = { type: 'tool-call', callId: 'c1', toolName: 'pay', input: { amount: 5 }, state: 'ready' } as const
    const history: Message[] = [user('u', 'Pay'), { role: 'assistant', id: 'a', at: 1, parts: [call] }]
    const { agent } = agentWorld([], { model: openai('m', { baseURL: server.url, apiKey: 'k' }) })
    const session = await agent.session('s', { history })
    expect(await session.run('Did you?').text()).toBe('I see.')
    await server.close()
    const { messages } = (await server.request(0)).json as { messages: { role: string; content: string }[] }
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(messages[2]?.content).toMatch(/interrupted.*outcome.*unknown/is)
  })

  test.each([
    ['no list', 'Hello'],
    ['a message without an id', [{ role: 'user', parts: [] }]],
    ['a message of nobody', [{ role: 'system', id: 'x', parts: [] }]],
    ['a message twice', [user('u'), user('u')]],
  ])('is refused: %s', async (_what, history) => {
    const { agent } = agentWorld([])
    await expect(agent.session('s', { history: history as never })).rejects.toMatchObject({ code: 'input.invalid' })
  })
})
