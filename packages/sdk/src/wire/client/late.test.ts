import { afterEach, describe, expect, it, vi } from 'vitest'
import { clientWorld, closeAll, gate, until } from '../../../test/fixtures/client-world.ts'
import { systemIds } from '../../protocol/system-ids.ts'
import { collect } from '../../testing/agent-world.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { deviceNetwork } from './environment.ts'
import { createHttp } from './http.ts'

// As for a page that lost its network before it needed this part, or is older than what its server has of it.
vi.mock('./rare.ts', () => {
  throw new TypeError('Failed to fetch dynamically imported module')
})

afterEach(closeAll)

/** A client whose waits take no time. */
const world = (...steps: Parameters<typeof clientWorld>[0]) => {
  const clock = manualClock()
  const setTimer: typeof clock.setTimer = (callback, ms, options) => {
    if (options?.background) return clock.setTimer(callback, ms, options)
    const timer = setImmediate(callback)
    return () => clearImmediate(timer)
  }
  return clientWorld(steps, { client: { clock: { ...clock, setTimer } } })
}

describe('what is loaded late', () => {
  it('is tried again like a request, and given up like one', async () => {
    const clock = manualClock()
    const environment = { clock, ids: systemIds, random: () => 1, network: deviceNetwork }
    const http = createHttp({ url: 'http://server' }, environment, 1_000)
    let tries = 0
    const load = (failures: number) => async () => {
      if (tries++ < failures) throw new TypeError('Failed to fetch')
      return 'loaded'
    }
    const soon = http.late(load(2))
    for (const ms of [500, 1_000]) {
      await until(() => clock.pending === 1)
      clock.advance(ms)
    }
    expect(await soon).toBe('loaded')
    tries = 0
    const never = http.late(load(100)).catch((thrown: unknown) => thrown)
    for (let failures = 1; failures < 6; failures++) {
      await until(() => clock.pending === 1)
      clock.advance(30_000)
    }
    expect(await never).toMatchObject({ code: 'wire.unreachable', retryable: true, name: 'WireError' })
    expect(tries).toBe(6)
  })
})

describe('a client that cannot load what reads runs', () => {
  it('sends, shows and stops all the same', async () => {
    const { client, server } = world({ text: 'Lo', beforeEnd: () => new Promise(() => {}) })
    const session = client.session('s')
    session.subscribe(() => {})
    const stop = new AbortController()
    const run = session.run('Hi', { signal: stop.signal })
    await until(() => session.state.pending.message?.parts.length === 1)
    await run.result
    stop.abort()
    await until(() => session.state.lastFinish !== undefined)
    expect(session.state.lastFinish).toMatchObject({ runId: run.id, reason: 'aborted' })
    expect(server.commands.map(({ type }) => type)).toEqual(['input', 'abort'])
    expect(await session.send('More', { mode: 'queue' })).toMatchObject({
      status: expect.stringMatching(/started|queued/),
    })
  })

  it('says so in the result, and with a rejection to whoever reads', async () => {
    const { client } = world('Hello.', 'Two.')
    const session = client.session('s')
    const run = session.run('Hi')
    expect(await run.result).toMatchObject({
      runId: run.id,
      reason: 'error',
      error: { code: 'wire.unreachable', retryable: true },
      recorded: false,
    })
    const unreachable = { code: 'wire.unreachable' }
    await expect(run.text()).rejects.toMatchObject(unreachable)
    await expect(collect(run)).rejects.toMatchObject(unreachable)
    await expect(collect(session.events())).rejects.toMatchObject(unreachable)
    await expect(session.settled('in-1')).rejects.toMatchObject(unreachable)
    await session.close()
  })

  it('tells of a refusal rather than of itself', async () => {
    const { open: go, wait } = gate()
    const { client } = world({ text: 'One.', before: wait })
    const session = client.session('s')
    session.subscribe(() => {})
    session.run('1')
    await until(() => session.state.status === 'running')
    expect(await session.run('2').result).toMatchObject({ reason: 'error', error: { code: 'session.busy' } })
    const aborted = { signal: AbortSignal.abort() }
    expect(await session.run('3', aborted).result).toMatchObject({ error: { code: 'session.aborted' } })
    go()
  })
})
