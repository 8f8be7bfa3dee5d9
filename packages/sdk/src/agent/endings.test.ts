import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { budget } from '../budget/index.ts'
import { wordList } from '../guards/word-list.ts'
import type { AgentEvent, FinishEvent } from '../protocol/events.ts'
import type { RunOptions } from '../protocol/session.ts'
import {
  agentWorld,
  collect,
  ofType,
  results,
  stateWhere,
  storedEvents,
  types,
  type WorldOptions,
} from '../testing/agent-world.ts'
import { brokenPromises } from '../testing/promises.ts'
import { providerFailure, type ScriptedStep, scriptedModel } from '../testing/scripted-model.ts'
import { defineTool } from '../tools/define-tool.ts'

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => 'nothing new',
})
const callLook = { calls: [{ name: 'look' }] }

/** Plays a run to its end, and gives its events and how it ended. */
async function play(steps: readonly ScriptedStep[], options: WorldOptions = {}, runOptions: RunOptions = {}) {
  const world = agentWorld(steps, { tools: [look], ...options })
  const session = await world.session()
  const run = session.run('Go', runOptions)
  const events = await collect(run)
  const result = await run.result
  expect(brokenPromises(await storedEvents(world.store))).toEqual([])
  const finish = events.at(-1) as FinishEvent
  expect(finish.reason).toBe(result.reason)
  return { ...world, session, events, result, finish }
}

const codes = (events: readonly AgentEvent[]): string[] => ofType(events, 'notice').map(({ code }) => code)

describe('every reason a run ends for', () => {
  const start = ['input', 'run-start', 'message', 'turn-start']

  test('stop', async () => {
    const { events, result } = await play(['Done.'])
    expect(result.reason).toBe('stop')
    expect(types(events)).toEqual([...start, 'text-delta', 'message', 'usage', 'finish'])
  })

  test('max-turns, and continue() resumes it', async () => {
    const { events, result, session } = await play([callLook, 'Later.'], { maxTurns: 1 })
    expect(result.reason).toBe('max-turns')
    expect(types(events)).toEqual([
      ...start,
      'tool-input-delta',
      'message',
      'usage',
      'tool-call',
      'tool-start',
      'tool-result',
      'finish',
    ])
    expect(await session.continue().text()).toBe('Later.')
  })

  test('max-turns after grace turns, in which the model only sums up', async () => {
    const { events, result, model } = await play([callLook, 'So far: nothing.'], { maxTurns: 1, graceTurns: 2 })
    expect(result).toMatchObject({ reason: 'max-turns', text: 'So far: nothing.' })
    expect(ofType(events, 'turn-start').map(({ purpose }) => purpose)).toEqual(['reply', 'grace'])
    expect(model.requests[1]).toMatchObject({ toolChoice: 'none' })
    expect(codes(events)).toEqual(['turns.grace'])
  })

  test('stalled, when nothing new comes of the same calls', async () => {
    const { events, result } = await play(
      Array.from({ length: 3 }, () => callLook),
      { maxRepeats: 3 },
    )
    expect(result.reason).toBe('stalled')
    expect(ofType(events, 'turn-start')).toHaveLength(3)
    expect(types(events).at(-1)).toBe('finish')
  })

  test('looping, cut early and kept', async () => {
    const { events, result, session } = await play([{ text: 'Wait, let me think again. '.repeat(2_000) }])
    expect(result).toMatchObject({ reason: 'looping', error: { code: 'output.looping' } })
    expect(result.text.length).toBeLessThan(8_000)
    expect(session.state.history.at(-1)).toMatchObject({ role: 'assistant', partial: true })
    expect(types(events)).toEqual([...start, 'text-delta', 'message', 'usage', 'finish'])
    expect(ofType(events, 'usage')).toMatchObject([{ stop: 'aborted' }])
  })

  test('aborted', async () => {
    const world = agentWorld([{ text: 'A long story', beforeEnd: () => new Promise(() => {}) }])
    const session = await world.session()
    const run = session.run('Go')
    await stateWhere(session, ({ pending }) => JSON.stringify(pending.message ?? '').includes('story'))
    await session.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted', text: 'A long story' })
    expect(types(await collect(session.follow(run.id)))).toEqual([
      ...start,
      'text-delta',
      'abort',
      'message',
      'usage',
      'finish',
    ])
  })

  test('content-filter', async () => {
    const { events, result } = await play([{ text: 'I', stop: 'content-filter' }])
    expect(result.reason).toBe('content-filter')
    expect(types(events)).toEqual([...start, 'text-delta', 'message', 'usage', 'finish'])
  })

  test('compliance, of a reply: what was allowed is kept, what was refused was never shown', async () => {
    const compliance = wordList({ words: ['xyzzy'], action: 'block' })
    const { events, result, store } = await play(['The word is xyzzy indeed.'], { compliance })
    expect(result).toMatchObject({ reason: 'compliance', error: { code: 'compliance.blocked' } })
    expect(JSON.stringify([events, await storedEvents(store)])).not.toContain('xyzzy')
    expect(types(events)).toEqual([...start, 'text-delta', 'message', 'usage', 'finish'])
  })

  test('compliance, of an input: it is refused and leaves no trace', async () => {
    const world = agentWorld(['Fine.'], { compliance: wordList({ words: ['xyzzy'], action: 'block' }) })
    const session = await world.session()
    expect(await session.run('Say xyzzy').result).toMatchObject({
      reason: 'compliance',
      recorded: false,
      error: { code: 'compliance.blocked' },
    })
    expect(JSON.stringify(await storedEvents(world.store))).not.toContain('xyzzy')
    expect(await session.run('Say something').text()).toBe('Fine.')
  })

  test('length', async () => {
    const { events, result } = await play([{ text: 'Half a', stop: 'length' }])
    expect(result.reason).toBe('length')
    expect(types(events)).toEqual([...start, 'text-delta', 'message', 'usage', 'finish'])
  })

  test('blank, after it was asked once more', async () => {
    const { events, result, model } = await play([callLook, {}, { reasoning: 'Hm.' }])
    expect(result).toMatchObject({ reason: 'blank', text: '' })
    expect(codes(events)).toEqual(['reply.blank'])
    expect(model.requests[2]?.messages.at(-1)).toMatchObject({ role: 'note', toModel: true })
    expect(ofType(events, 'turn-start')).toHaveLength(3)
  })

  test('budget-exceeded, before the request leaves; a higher limit goes on', async () => {
    const policy = budget([{ per: 'session', tokens: 4_500 }])
    const costly = { ...callLook, usage: { inputTokens: 1_000, outputTokens: 500 } }
    const { events, result, session, model } = await play([costly, 'Done.'], { budget: policy })
    expect(result).toMatchObject({ reason: 'budget-exceeded', error: { code: 'budget.exceeded' } })
    expect(model.requests).toHaveLength(1)
    expect(ofType(events, 'finish')).toMatchObject([{ breach: 'tokens' }])
    expect(ofType(events, 'usage')).toMatchObject([{ budgetRemaining: { tokens: 3_000 } }])
    const more = session.continue({ limits: [{ per: 'session', tokens: 10_000 }] })
    expect(await more.text()).toBe('Done.')
  })

  test('interrupted, written by the next owner', async () => {
    const world = agentWorld([{ text: 'A', beforeEnd: () => new Promise(() => {}) }])
    const session = await world.session()
    session.run('Go')
    await stateWhere(session, ({ pending }) => (pending.message?.parts.length ?? 0) > 0)
    const store = {
      ...world.store,
      acquire: (id: string, options: Parameters<typeof world.store.acquire>[1]) =>
        world.store.acquire(id, { ...options, takeover: true }),
    }
    const next = await agentWorld([], { store, ids: (prefix) => `${prefix}_next` }).session()
    expect(next.state.lastFinish).toMatchObject({ reason: 'interrupted' })
    expect(brokenPromises(await storedEvents(world.store))).toEqual([])
  })

  test('error', async () => {
    const { events, result } = await play([{ error: providerFailure('provider.auth') }])
    expect(result).toMatchObject({ reason: 'error', error: { code: 'provider.auth' } })
    expect(types(events)).toEqual([...start, 'usage', 'finish'])
  })
})

describe('a reply that is masked', () => {
  test('is masked for everyone, in text, thoughts and calls, and says so', async () => {
    const heard: unknown[] = []
    const note = defineTool<{ text: string }>({
      name: 'note',
      description: 'Notes.',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      execute: ({ text }) => {
        heard.push(text)
      },
    })
    const compliance = wordList({ words: ['xyzzy'], action: 'mask', mask: '***' })
    const steps = [
      { reasoning: 'It is xyzzy.', text: 'I note xyzzy.', calls: [{ name: 'note', input: { text: 'xyzzy!' } }] },
      'Done.',
    ]
    const { events, session, store } = await play(steps, { tools: [note], compliance })
    expect(heard).toEqual(['***!'])
    expect(session.state.history[1]).toMatchObject({
      parts: [
        { type: 'reasoning', text: 'It is ***.' },
        { type: 'text', text: 'I note ***.' },
        { type: 'tool-call', input: { text: '***!' } },
      ],
    })
    expect(codes(events)).toEqual(['reply.masked'])
    expect(JSON.stringify(await storedEvents(store))).not.toContain('xyzzy')
  })

  test('so is an input', async () => {
    const compliance = wordList({ words: ['xyzzy'], action: 'mask', mask: '***' })
    const world = agentWorld(['Fine.'], { compliance })
    const session = await world.session()
    await session.run('Say xyzzy').result
    expect(session.state.history[0]).toMatchObject({ parts: [{ text: 'Say ***' }] })
    expect(session.state.notices).toMatchObject([{ code: 'input.masked' }])
    expect(JSON.stringify(await storedEvents(world.store))).not.toContain('xyzzy')
  })
})

describe('fallback models', () => {
  test('are asked when the first is exhausted; usage and finish tell who answered', async () => {
    const spare = scriptedModel(['From the spare.', 'Again.'], { model: 'spare', api: 'other' })
    const overloaded = { error: providerFailure('provider.overloaded') }
    const { events, result, finish, session, model } = await play([overloaded, 'Back.'], { fallbacks: [spare] })
    expect(result).toMatchObject({ reason: 'stop', text: 'From the spare.' })
    expect(ofType(events, 'usage')).toMatchObject([
      { model: 'scripted', requestedModel: 'scripted', stop: 'error' },
      { model: 'spare', requestedModel: 'scripted', stop: 'stop' },
    ])
    expect(finish).toMatchObject({ model: 'spare', requestedModel: 'scripted' })
    expect(codes(events)).toEqual(['model.fallback'])
    expect(session.state.history[1]).toMatchObject({ model: { model: 'spare', api: 'other' } })
    expect(await session.run('And now?').text()).toBe('Back.')
    expect(model.requests).toHaveLength(2)
  })

  test('are not asked for what would fail there too', async () => {
    const spare = scriptedModel([])
    const { result } = await play([{ error: providerFailure('provider.bad-request') }], { fallbacks: [spare] })
    expect(result.error?.code).toBe('provider.bad-request')
    expect(spare.requests).toEqual([])
  })
})

describe('structured output', () => {
  const output = z.object({ city: z.string(), degrees: z.number() })

  test('is in the result and the log', async () => {
    const { result, finish, model } = await play(['{"city":"Oslo","degrees":4}'], {}, { output })
    expect(result.output).toEqual({ city: 'Oslo', degrees: 4 })
    expect(finish.output).toEqual(result.output)
    expect(model.requests[0]?.output?.schema).toMatchObject({ type: 'object', required: ['city', 'degrees'] })
  })

  test('that does not fit is asked for again', async () => {
    const { result, events } = await play(['It is cold.', '{"city":"Oslo","degrees":4}'], {}, { output })
    expect(result.output).toEqual({ city: 'Oslo', degrees: 4 })
    expect(codes(events)).toEqual(['output.invalid'])
  })

  test('that never fits ends as an error with its text kept', async () => {
    const { result, model } = await play(['One.', 'Two.', 'Three.'], {}, { output })
    expect(result).toMatchObject({ reason: 'error', error: { code: 'output.invalid' }, text: 'Three.' })
    expect(model.requests).toHaveLength(3)
  })
})

describe('what would be silently ignored is refused', () => {
  test('limits without a budget', async () => {
    const world = agentWorld(['Done.'])
    const session = await world.session()
    const { result } = session.run('Go', { limits: [{ per: 'run', tokens: 1 }] })
    expect(await result).toMatchObject({ reason: 'error', error: { code: 'config.invalid' }, recorded: false })
  })

  test('an output schema that cannot be one', async () => {
    const world = agentWorld(['Done.'])
    const session = await world.session()
    const { error } = await session.run('Go', { output: { type: 'string' } }).result
    expect(error).toMatchObject({ code: 'tool.invalid-schema', message: expect.stringContaining('output schema') })
  })
})

describe('a policy that fails', () => {
  test('lets nothing of a reply through', async () => {
    const failing = {
      input: () => ({ action: 'allow' as const }),
      output: () => {
        throw new Error('out of order')
      },
    }
    const { result } = await play(['Secret.'], { compliance: failing })
    expect(result).toMatchObject({ reason: 'compliance', error: { code: 'compliance.blocked' }, text: '' })
  })
})

describe('an answer', () => {
  const compliance = wordList({ words: ['xyzzy'], action: 'mask', mask: '***' })
  const where = defineTool({ name: 'where', description: 'Where.', input: { type: 'object' }, maxResultChars: 100 })

  test('is screened like any input', async () => {
    const world = agentWorld([{ calls: [{ name: 'where' }] }, 'Fine.'], { tools: [where], compliance })
    const session = await world.session()
    const run = session.run('Go')
    await stateWhere(session, ({ status }) => status === 'waiting')
    await session.resolve('req_call_1', { output: { at: ['at xyzzy'] } })
    await run.result
    expect(JSON.stringify(await storedEvents(world.store))).not.toContain('xyzzy')
    expect(ofType(await collect(session.follow(run.id)), 'notice')).toMatchObject([{ code: 'input.masked' }])
  })

  test('of a client tool is no longer for the model than any result', async () => {
    const world = agentWorld([{ calls: [{ name: 'where' }] }, 'Fine.'], { tools: [where] })
    const session = await world.session()
    const run = session.run('Go')
    await stateWhere(session, ({ status }) => status === 'waiting')
    await session.resolve('req_call_1', { output: 'x'.repeat(1_000) })
    await run.result
    expect(results(session.state)).toMatchObject([{ truncatedTo: 100 }])
  })

  test('is not asked for where a rule denies the call', async () => {
    const permissions = { decide: () => ({ verdict: 'deny', by: 'rule', reason: 'no' }) as const }
    const world = agentWorld([{ calls: [{ name: 'where' }] }, 'Fine.'], { tools: [where], permissions })
    const session = await world.session()
    await session.run('Go').result
    expect(results(session.state)).toMatchObject([{ outcome: 'denied' }])
  })
})
