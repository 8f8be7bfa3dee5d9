import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Question } from '../protocol/requests.ts'
import { openai } from '../providers/openai-chat/index.ts'
import { memoryStore } from '../stores/memory.ts'
import type { SessionStore } from '../stores/store.ts'
import { agentWorld, stateWhere, storedEvents, type WorldOptions } from '../testing/agent-world.ts'
import { brokenPromises } from '../testing/promises.ts'
import { framed, hold, recordingServer } from '../testing/recording-server.ts'
import { providerFailure, type ScriptedStep } from '../testing/scripted-model.ts'
import { never, tool } from '../testing/tool-call.ts'

const question: Question = {
  id: 'q',
  header: 'Which',
  question: 'Which one?',
  options: [{ label: 'this' }, { label: 'that' }],
}
const call = { calls: [{ name: 'probe' }] }

/** Everything that is about to happen, happens. */
async function settled(): Promise<void> {
  for (let i = 0; i < 4; i++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Who listens to which signal. */
const listening = new Map<AbortSignal, Set<unknown>>()

beforeEach(() => {
  const { addEventListener, removeEventListener } = EventTarget.prototype
  vi.spyOn(EventTarget.prototype, 'addEventListener').mockImplementation(function (this: EventTarget, ...args) {
    if (this instanceof AbortSignal) listening.set(this, (listening.get(this) ?? new Set()).add(args[1]))
    return addEventListener.apply(this, args)
  })
  vi.spyOn(EventTarget.prototype, 'removeEventListener').mockImplementation(function (this: EventTarget, ...args) {
    if (this instanceof AbortSignal) listening.get(this)?.delete(args[1])
    return removeEventListener.apply(this, args)
  })
})
afterEach(() => {
  vi.restoreAllMocks()
})

interface Scene {
  readonly steps: readonly ScriptedStep[]
  readonly options?: WorldOptions
}

const scenes: Readonly<Record<string, Scene>> = {
  'the model talks': { steps: [{ text: 'Hm', beforeEnd: () => never() }] },
  'a tool is deaf': { steps: [call], options: { tools: [tool(() => never())] } },
  'tools are deaf that began early': {
    steps: [{ calls: [{ name: 'probe' }, { name: 'probe' }] }],
    options: { tools: [tool(() => never(), { effect: 'read' })] },
  },
  'a tool is waited for': { steps: [call], options: { tools: [tool(() => never(), { onAbort: 'wait' })] } },
  'an approval is open': { steps: [call], options: { tools: [tool(() => 'x', { needsApproval: true })] } },
  'a tool asks': { steps: [call], options: { tools: [tool((_input, ctx) => ctx.ask([question]))] } },
  'a tool asks that is waited for': {
    steps: [call],
    options: { tools: [tool((_input, ctx) => ctx.ask([question]), { onAbort: 'wait' })] },
  },
  'a policy decides': {
    steps: [call],
    options: { tools: [tool(() => 'x')], permissions: { decide: () => never() } },
  },
  'it waits to ask the model again': {
    steps: [{ error: providerFailure('provider.overloaded', { retryable: true }) }],
  },
}

describe('a run that is stopped leaves no listener, no timer and nothing open', () => {
  test.each(Object.keys(scenes))('while %s', async (name) => {
    const { steps, options } = scenes[name] as Scene
    // Whatever runs the test listens too.
    listening.clear()
    const world = agentWorld(steps, { ...options, timeouts: { requestMs: 3_600_000 } })
    const session = await world.session()
    const stop = new AbortController()
    const run = session.run('Go', { signal: stop.signal })
    await settled()
    expect(session.state.run?.id).toBe(run.id)
    stop.abort()
    await settled()
    if (name === 'a tool is waited for') world.clock.advance(10_000)
    expect(await run.result).toMatchObject({ reason: 'aborted', recorded: true })
    await settled()
    expect([...listening.values()].filter(({ size }) => size > 0)).toEqual([])
    expect(world.clock.pending).toBe(0)
    expect(session.state.pending).toEqual({ calls: {}, requests: [], lanes: { steer: [], queue: [], paused: true } })
    expect(brokenPromises(await storedEvents(world.store))).toEqual([])
  })

  test('and no socket, with a real connection', async () => {
    const endless = hold()
    const text = (content: string) => JSON.stringify({ choices: [{ index: 0, delta: { content } }] })
    const [begun = ''] = framed('openai-chat', [text('Hello')]).split('data: [DONE]')
    const server = await recordingServer([{ body: [begun, endless] }])
    const model = openai('m', { baseURL: server.url, apiKey: 'k' })
    const session = await agentWorld([], { model }).session()
    const run = session.run('Go')
    await stateWhere(session, ({ pending }) => (pending.message?.parts.length ?? 0) > 0)
    await session.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted', text: 'Hello' })
    expect(await (await server.request(0)).closed).toEqual({ whole: false })
    await server.close()
  })
})

test('a deaf tool is abandoned as soon as its signal is pulled, and the end is in the next append', async () => {
  const store = memoryStore({ now: () => 1_000_000 })
  const appends: string[][] = []
  const recording: SessionStore = {
    ...store,
    async append(id, events, options) {
      appends.push(events.map(({ type }) => type))
      return store.append(id, events, options)
    },
  }
  let before = 0
  const deaf = tool((_input, { signal }) => {
    signal.addEventListener('abort', () => {
      before = appends.length
    })
    return never()
  })
  const session = await agentWorld([call], { store: recording, tools: [deaf] }).session()
  const run = session.run('Go')
  await stateWhere(session, ({ live }) => live.calls.call_1?.running === true)
  await settled()
  await session.abort()
  await run.result
  expect(appends[before - 1]).toEqual(['abort'])
  expect(appends.slice(before).flat()).toEqual(['tool-result', 'finish'])
  expect(appends.length - before).toBeLessThanOrEqual(2)
})

test('with a store that hangs every signal is pulled after a second', async () => {
  const store = memoryStore({ now: () => 1_000_000 })
  let hangs = false
  const append: SessionStore['append'] = (...args) => (hangs ? never() : store.append(...args))
  const signals: AbortSignal[] = []
  const listen = tool(
    (_input, { signal }) => {
      signals.push(signal)
      return never()
    },
    { parallel: true },
  )
  const calls = [{ name: 'probe' }, { name: 'probe' }]
  const world = agentWorld([{ calls }], { store: { ...store, append }, tools: [listen] })
  const session = await world.session()
  session.run('Go')
  await settled()
  expect(signals).toHaveLength(2)
  hangs = true
  void session.abort()
  await settled()
  world.clock.advance(999)
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
  world.clock.advance(1)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
})
