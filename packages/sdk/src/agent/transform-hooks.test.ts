import { describe, expect, test } from 'vitest'
import { wordList } from '../guards/compliance.ts'
import type { Hooks, Plugin } from '../plugins/plugin.ts'
import { agentWorld, collect, ofType, stateWhere, storedEvents } from '../testing/agent-world.ts'
import { microtasks } from '../testing/microtasks.ts'
import { never, tool } from '../testing/tool-call.ts'

const plugin = (hooks: Hooks, name = 'guard'): Plugin => ({ name, timeoutMs: 100, hooks })
const louder = plugin({ 'transform:user-input': ({ text }) => ({ text: `${text}!` }) }, 'louder')

describe('transform:user-input', () => {
  test('changes the text before it is accepted, one plugin after the other; images stay, and a notice says who', async () => {
    const world = agentWorld(['Done.'], {
      plugins: [louder, plugin({ 'transform:user-input': ({ text }) => ({ text: text.toUpperCase() }) }, 'upper')],
    })
    const session = await world.session()
    const image = { type: 'image', mediaType: 'image/png', url: 'https://example.com/a.png' } as const
    await session.run([image, { type: 'text', text: 'look' }, { type: 'text', text: 'here' }]).result
    const events = await storedEvents(world.store)
    expect(ofType(events, 'input')).toMatchObject([{ parts: [image, { type: 'text', text: 'LOOK\nHERE!' }] }])
    expect(session.state.notices).toMatchObject([
      { code: 'input.transformed', details: { plugin: 'louder', inputId: 'in_1' } },
      { code: 'input.transformed', details: { plugin: 'upper', inputId: 'in_1' } },
    ])
    expect(JSON.stringify(events)).not.toContain('"look"')
  })

  test('comes before the compliance policy, which sees what would be stored', async () => {
    const world = agentWorld(['Done.'], {
      plugins: [plugin({ 'transform:user-input': () => ({ text: 'a secret' }) })],
      compliance: wordList({ words: ['secret'], action: 'block' }),
    })
    const { error, recorded } = await (await world.session()).run('Go').result
    expect([error?.code, recorded]).toEqual(['compliance.blocked', false])
  })

  test('an input that waits is changed as well when a person changes it', async () => {
    const world = agentWorld([{ text: 'One.', beforeEnd: () => microtasks() }, 'Two.'], { plugins: [louder] })
    const session = await world.session()
    const run = session.run('Go')
    const { inputId = '' } = await session.send('wait', { mode: 'queue' })
    await session.changeInput(inputId, { input: 'hurry' })
    await run.result
    const events = await storedEvents(world.store)
    expect(ofType(events, 'input-changed')).toMatchObject([{ parts: [{ text: 'hurry!' }] }])
  })

  const failures: readonly (readonly [string, NonNullable<Hooks['transform:user-input']>])[] = [
    ['throws', () => Promise.reject(new Error('no'))],
    ['is too slow', () => never()],
    ['gives no text', () => ({ text: 7 }) as never],
    ['leaves nothing', () => ({ text: '' })],
  ]
  test.each(failures)('one that %s leaves the input as it was', async (_what, hook) => {
    const world = agentWorld(['Done.'], { plugins: [plugin({ 'transform:user-input': hook })] })
    const session = await world.session()
    const run = session.run('Go')
    await microtasks()
    world.clock.advance(100)
    await run.result
    expect(session.state.history[0]).toMatchObject({ parts: [{ text: 'Go' }] })
    expect(session.state.notices).toMatchObject([{ code: 'hook.failed', details: { hook: 'transform:user-input' } }])
  })
})

describe('transform:response', () => {
  const secret = { 'transform:response': ({ text }) => ({ text: text.replaceAll('secret', '•••') }) } satisfies Hooks

  test('nobody ever sees the text as it was, and a notice says that it was changed', async () => {
    const world = agentWorld([{ reasoning: 'Hm.', text: 'The secret is a secret.' }, 'Plain.'], {
      plugins: [plugin(secret)],
    })
    const session = await world.session()
    const run = session.run('Go')
    const shown = await collect(run)
    expect(await run.result).toMatchObject({ reason: 'stop', text: 'The ••• is a •••.' })
    expect(JSON.stringify([shown, await storedEvents(world.store)])).not.toContain('secret')
    expect(ofType(shown, 'text-delta').map(({ text }) => text)).toEqual(['', 'The ••• is a •••.'])
    expect(session.state.notices).toMatchObject([{ code: 'reply.transformed' }])

    await session.run('Go').result
    expect(session.state.notices).toHaveLength(1)
  })

  test('calls go on, and texts around them are changed each for itself', async () => {
    const world = agentWorld([{ text: 'A secret first.', calls: [{ name: 'probe' }] }, 'No secret.'], {
      tools: [tool(() => 'ok')],
      plugins: [plugin(secret)],
    })
    const session = await world.session()
    await session.run('Go').result
    expect(session.state.history).toMatchObject([
      { role: 'user' },
      { parts: [{ text: 'A ••• first.' }, { type: 'tool-call', result: { output: 'ok' } }] },
      { parts: [{ text: 'No •••.' }] },
    ])
  })

  test('opaque state that goes with a changed text is not kept', async () => {
    const state = { signature: 'of the secret' }
    const events = [
      [
        { type: 'text', part: 0, text: 'The secret.' },
        { type: 'state', part: 0, state },
        { type: 'text', part: 1, text: 'Plain.' },
        { type: 'state', part: 1, state: { signature: 'plain' } },
        { type: 'state', state },
        { type: 'done', stop: 'stop' },
      ],
    ] as const
    const world = agentWorld([events], { plugins: [plugin(secret)] })
    const session = await world.session()
    await session.run('Go').result
    const [, message] = session.state.history
    expect(JSON.stringify(message)).not.toContain('secret')
    expect(message).toMatchObject({ parts: [{}, { providerState: { signature: 'plain' } }] })
  })

  test('the compliance policy sees what the plugin made of it', async () => {
    const world = agentWorld(['fine'], {
      plugins: [plugin({ 'transform:response': () => ({ text: 'curse' }) })],
      compliance: wordList({ words: ['curse'], action: 'block' }),
    })
    expect((await (await world.session()).run('Go').result).reason).toBe('compliance')
  })

  test('a reply that breaks off, or is stopped, keeps nothing of what was held back', async () => {
    const world = agentWorld([{ text: 'The secret', beforeEnd: () => never() }], { plugins: [plugin(secret)] })
    const session = await world.session()
    const run = session.run('Go')
    await stateWhere(session, ({ pending }) => (pending.message?.parts.length ?? 0) > 0)
    await microtasks()
    await session.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted', text: '' })
    expect(JSON.stringify(await storedEvents(world.store))).not.toContain('secret')
  })

  test('what repeats itself without an end is cut, though nobody sees it', async () => {
    const endless = Array.from(
      { length: 40 },
      () => [{ type: 'text', part: 0, text: 'the secret '.repeat(40) }] as const,
    )
    const world = agentWorld([endless], { plugins: [plugin(secret)] })
    expect(await (await world.session()).run('Go').result).toMatchObject({ reason: 'looping', text: '' })
  })

  test('one that fails is told of, and the text shows as it is', async () => {
    const world = agentWorld(['Hello.'], { plugins: [plugin({ 'transform:response': () => Promise.reject('no') })] })
    const session = await world.session()
    expect(await session.run('Go').text()).toBe('Hello.')
    expect(session.state.notices).toMatchObject([{ code: 'hook.failed' }])
  })
})
