import { describe, expect, it } from 'vitest'
import { framesUntil, HOST, hasFinish, world } from '../../../test/fixtures/server-world.ts'
import { StoreError } from '../../protocol/errors.ts'
import { memoryStore } from '../../stores/memory.ts'
import { agentWorld } from '../../testing/agent-world.ts'
import { sseFrames } from '../../testing/sse.ts'

describe('the death of an owner', () => {
  it('is noticed while somebody reads: the run gets its end, or goes on', async () => {
    for (const [onInterrupted, reason] of [
      ['finish', 'interrupted'],
      ['resume', 'stop'],
    ] as const) {
      const { ask, json, clock, store } = world(['Said by the next one.'], { onInterrupted })
      await json('POST', '/sessions', { id: 's' })
      // Another process, whose time stands still: it neither renews its lease nor goes on.
      const dead = agentWorld([{ text: 'Hello', beforeEnd: () => new Promise(() => {}) }], { store })
      const run = (await dead.session()).run('Hi')
      for await (const { type } of run) if (type === 'turn-start') break
      const frames = sseFrames(await ask('GET', '/sessions/s/events'))
      await frames.next()
      clock.advance(15_000)
      const last = (await framesUntil(frames, hasFinish)).at(-1)
      expect(last?.events?.at(-1)).toMatchObject({ type: 'finish', runId: run.id, reason })
    }
  })

  it('does not stop a reader from hearing that the session was deleted elsewhere', async () => {
    const { ask, json, clock, store } = world([])
    await json('POST', '/sessions', { id: 's' })
    const frames = sseFrames(await ask('GET', '/sessions/s/events'))
    await frames.next()
    await store.delete('s')
    clock.advance(15_000)
    const seen = await framesUntil(frames, ({ gone }) => gone !== undefined)
    expect(seen.at(-1)?.gone?.code).toBe('session.not-found')
    expect((await frames.next()).done).toBe(true)
  })
})

describe('a store that fails', () => {
  it('is told without what it said, and ends the streams that need it', async () => {
    const store = memoryStore()
    let fails = false
    const failing = (): void => {
      if (fails) throw new StoreError('store.unavailable', 'ENOENT /srv/secret/agent.db', { retryable: true })
    }
    const { ask, json } = world([], {
      store: {
        ...store,
        async get(id) {
          failing()
          return store.get(id)
        },
        async *read(id, options) {
          failing()
          yield* store.read(id, options)
        },
      },
    })
    await json('POST', '/sessions', { id: 's' })
    fails = true
    expect(await json('GET', '/sessions/s')).toEqual({
      status: 503,
      body: { error: { code: 'store.unavailable', message: 'The storage failed.', retryable: true } },
    })
    const frames = sseFrames(await ask('GET', '/events?s=s:0'))
    expect((await frames.next()).value).toEqual({ reconnect: 0 })
    expect((await frames.next()).done).toBe(true)
  })
})

it('is nothing that a sender left in the middle of a body: the log does not tell of it', async () => {
  const logged: unknown[] = []
  const { json, served } = world([], { logger: { log: (...entry) => logged.push(entry) } })
  await json('POST', '/sessions', { id: 's' })
  const left = new ReadableStream({
    pull(body) {
      body.error(new Error('aborted'))
    },
  })
  const headers = { authorization: 'ada', 'content-type': 'image/png' }
  const upload = { method: 'POST', headers, body: left, duplex: 'half' }
  const response = await served.fetch(new Request(`${HOST}/sessions/s/blobs`, upload))
  expect([response.status, (await response.json()).error.code, logged]).toEqual([400, 'wire.bad-request', []])
})

it('says where a body does not fit', async () => {
  const { json } = world([])
  await json('POST', '/sessions', { id: 's' })
  const parts = [{ type: 'text', text: 'Hi' }, { type: 'hologram' }]
  const { body } = await json('POST', '/sessions/s/commands', { id: '', type: 'input', mode: 'run', parts })
  expect(body.error.message).toBe('The body does not have the form it should have: look at id, parts.1.type.')
})
