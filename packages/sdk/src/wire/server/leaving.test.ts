import { describe, expect, it } from 'vitest'
import { byHeader } from '../../../test/fixtures/by-header.ts'
import { framesUntil, HOST, hasFinish, say, world } from '../../../test/fixtures/server-world.ts'
import { stateWhere } from '../../testing/agent-world.ts'
import { sseFrames } from '../../testing/sse.ts'

describe('a host that cuts', () => {
  const slow = () => {
    let go = (): void => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    return { held, go: () => go() }
  }

  it('is told of the work under way, and gets the run back before the cut', async () => {
    const { held } = slow()
    const kept: Promise<unknown>[] = []
    const { ask, json, clock, agent } = world(
      [{ text: 'Never.', beforeEnd: (signal) => Promise.race([held, aborted(signal)]) }, 'Resumed.'],
      { onInterrupted: 'resume' },
      { waitUntil: (work) => kept.push(work), maxDurationMs: 60_000 },
    )
    await json('POST', '/sessions', { id: 's' })
    const frames = sseFrames(await ask('GET', '/sessions/s/events'))
    await json('POST', '/sessions/s/commands', say('Hi', 'a'))
    expect(kept).toHaveLength(1)
    clock.advance(55_000)
    expect((await framesUntil(frames, ({ reconnect }) => reconnect !== undefined)).at(-1)?.reconnect).toBe(0)
    expect((await frames.next()).done).toBe(true)
    await Promise.all(kept)
    // The next request takes the run on.
    const again = sseFrames(await ask('GET', '/sessions/s/events?after=1'))
    const rest = await framesUntil(again, hasFinish)
    expect(rest.flatMap(({ events }) => events ?? []).at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
    await stateWhere(await agent.session('s'), ({ status }) => status === 'idle')
  })

  it('is told when the run ended by itself', async () => {
    const kept: Promise<unknown>[] = []
    const { json, store } = world(['Hello.'], {}, { waitUntil: (work) => kept.push(work) })
    await json('POST', '/sessions', { id: 's' })
    await json('POST', '/sessions/s/commands', say('Hi', 'a'))
    await Promise.all(kept)
    expect((await store.get('s'))?.openRun).toBeUndefined()
  })
})

describe('close', () => {
  it('lets runs end, tells readers to come back, and refuses what comes after', async () => {
    let go = (): void => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const { ask, json, served } = world([{ text: 'Hello.', before: () => held }])
    await json('POST', '/sessions', { id: 's' })
    const frames = sseFrames(await ask('GET', '/sessions/s/events'))
    await json('POST', '/sessions/s/commands', say('Hi', 'a'))
    const closed = served.close()
    const refused = await json('GET', '/sessions')
    expect([refused.status, refused.body.error.code, refused.body.error.retryable]).toEqual([503, 'wire.closing', true])
    go()
    const seen = await framesUntil(frames, ({ reconnect }) => reconnect !== undefined)
    expect(seen.some(hasFinish)).toBe(true)
    expect((await frames.next()).done).toBe(true)
    await closed
  })

  it('waits no longer than it was told to for a request that never ends', async () => {
    let asked = 0
    const { ask, json, served, clock } = world(
      [],
      {},
      { authorize: (request) => (asked++ === 1 ? new Promise(() => {}) : byHeader(request)) },
    )
    await json('POST', '/sessions', { id: 's' })
    void ask('GET', '/sessions')
    const headers = { authorization: 'ada', 'content-type': 'image/png' }
    const stalled = { method: 'POST', headers, body: new ReadableStream(), duplex: 'half' }
    void served.fetch(new Request(`${HOST}/sessions/s/blobs`, stalled))
    const frames = sseFrames(await ask('GET', '/sessions/s/events'))
    let isClosed = false
    const closed = served.close({ drainMs: 1_000 }).then(() => {
      isClosed = true
    })
    const seen = await framesUntil(frames, ({ reconnect }) => reconnect !== undefined)
    clock.advance(999)
    expect([seen.at(-1)?.reconnect, isClosed]).toEqual([0, false])
    clock.advance(1)
    await closed
  })
})

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}
