import { describe, expect, it } from 'vitest'
import { framesUntil, hasFinish, say, world } from '../../../test/fixtures/server-world.ts'
import { sseFrames } from '../../testing/sse.ts'

describe('a stream', () => {
  it('stays open between runs, and beats', async () => {
    const { ask, json, clock } = world(['One.', 'Two.'])
    await json('POST', '/sessions', { id: 's' })
    const frames = sseFrames(await ask('GET', '/sessions/s/events?after=1'))
    expect((await frames.next()).value).toMatchObject({ prev: 1, head: 1, events: [] })
    await json('POST', '/sessions/s/commands', say('Hi', 'a'))
    const first = await framesUntil(frames, hasFinish)
    clock.advance(15_000)
    const head = first.at(-1)?.head
    expect((await frames.next()).value).toMatchObject({ prev: head, head, events: [] })
    await json('POST', '/sessions/s/commands', say('Hi', 'b'))
    expect((await framesUntil(frames, hasFinish)).at(-1)?.head).toBeGreaterThan(head ?? 0)
  })

  it('goes on from Last-Event-ID, in the middle of a reply', async () => {
    let go = (): void => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const { ask, json } = world([{ text: 'Hello there, Ada.', beforeEnd: () => held }])
    await json('POST', '/sessions', { id: 's' })
    const frames = sseFrames(await ask('GET', '/sessions/s/events'))
    await json('POST', '/sessions/s/commands', say('Hi', 'a'))
    const seen = await framesUntil(frames, ({ events }) => events?.some(({ type }) => type === 'text-delta') === true)
    await frames.return(undefined)
    const last = seen.at(-1)?.eventId ?? ''
    const resumed = sseFrames(await ask('GET', '/sessions/s/events?after=0', undefined, { 'last-event-id': last }))
    go()
    const rest = await framesUntil(resumed, hasFinish)
    const text = [...seen, ...rest]
      .flatMap(({ events }) => events ?? [])
      .reduce((said, event) => (event.type === 'text-delta' ? said.slice(0, event.from) + event.text : said), '')
    expect(text).toBe('Hello there, Ada.')
    expect(rest[0]?.prev).toBe(Number(last))
  })

  it('carries several sessions, and says of each that cannot be read that it is gone', async () => {
    const { ask, json } = world(['One.', 'Two.'])
    await json('POST', '/sessions', { id: 'a:1' })
    await json('POST', '/sessions', { id: 'b' })
    await json('POST', '/sessions', { id: 'c' }, { authorization: 'eve' })
    const frames = sseFrames(await ask('GET', `/events?s=${encodeURIComponent('a:1')}:0&s=b:1&s=c:0&s=nowhere:0`))
    const first = [await frames.next(), await frames.next(), await frames.next(), await frames.next()]
    const bySession = new Map(first.map(({ value }) => [value?.session, value]))
    expect(bySession.get('a:1')).toMatchObject({ prev: 0, head: 1 })
    expect(bySession.get('b')).toMatchObject({ prev: 1, head: 1, events: [] })
    expect(bySession.get('c')?.gone.code).toBe('session.not-found')
    expect(bySession.get('nowhere')?.gone.code).toBe('session.not-found')
    await json('POST', '/sessions/b/commands', say('Hi', 'x'))
    const ran = await framesUntil(frames, hasFinish)
    expect(new Set(ran.map(({ session }) => session))).toEqual(new Set(['b']))
    await json('DELETE', '/sessions/b')
    expect((await frames.next()).value).toMatchObject({ session: 'b', gone: { code: 'session.not-found' } })
  })

  it('tells a reader who knows of what nobody knows to begin anew, and goes on', async () => {
    const { ask, json } = world(['One.'])
    await json('POST', '/sessions', { id: 's' })
    const frames = sseFrames(await ask('GET', `/events?s=s:${7 * 2 ** 32}`))
    expect((await frames.next()).value).toEqual({ session: 's', resync: true, head: 1 })
    await json('POST', '/sessions/s/commands', say('Hi', 'x'))
    expect((await framesUntil(frames, hasFinish))[0]?.prev).toBe(1)
  })

  it('leaves the run alone when its reader goes', async () => {
    let go = (): void => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const { ask, json, agent } = world([{ text: 'Hello.', before: () => held }])
    await json('POST', '/sessions', { id: 's' })
    const gone = new AbortController()
    const frames = sseFrames(await ask('GET', '/sessions/s/events'))
    await json('POST', '/sessions/s/commands', say('Hi', 'a'))
    await frames.return(undefined)
    gone.abort()
    go()
    expect((await (await agent.session('s')).follow('run_a').result).reason).toBe('stop')
  })
})
