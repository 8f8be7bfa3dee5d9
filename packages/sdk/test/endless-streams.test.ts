import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import type { ModelProvider } from '../src/index.ts'
import { openai } from '../src/providers/openai-chat/index.ts'
import { collect, ofType, stateWhere } from '../src/testing/agent-world.ts'
import { hold, type Reply, recordingServer } from '../src/testing/index.ts'
import {
  agentAt,
  answer,
  ask,
  beginning,
  expectNothingOpen,
  expectUsable,
  refuseUnhandledRejections,
} from './fixtures/bad-input.ts'

refuseUnhandledRejections()

const timeouts = { connectMs: 300, idleMs: 200, attemptMs: 1_000 }
const never = hold()
const PING = ': ping\n\n'

/** The model, and a way to wait until the agent has taken its nth read. */
function counted(model: ModelProvider) {
  let reads = 0
  let waiting: { readonly n: number; readonly resolve: () => void }[] = []
  const counting: ModelProvider = {
    ...model,
    async *stream(request, options) {
      for await (const batch of model.stream(request, options)) {
        yield batch
        reads++
        for (const { resolve } of waiting.filter(({ n }) => n <= reads)) resolve()
        waiting = waiting.filter(({ n }) => n > reads)
      }
    },
  }
  const read = (n: number) =>
    new Promise<void>((resolve) => {
      if (n <= reads) resolve()
      else waiting.push({ n, resolve })
    })
  return { model: counting, read }
}

/** A run whose reply comes in pieces, each when it is let go. The headers are its first read. */
async function dripping(pieces: readonly string[], replies: readonly Reply[] = []) {
  const gates = pieces.map(() => hold())
  const body = pieces.flatMap((piece, i) => [gates[i] ?? never, piece])
  const server = await recordingServer([{ body: [...body, never] }, ...replies])
  const { model, read } = counted(openai('gpt-nope', { baseURL: server.url }))
  const { agent, clock } = agentAt(server.url, { model, timeouts, retries: { max: 0 } })
  const session = await agent.session('s')
  const run = session.run('Hello')
  await read(1)
  const send = (i: number) => {
    gates[i]?.open()
    return read(i + 2)
  }
  const close = async () => {
    await agent.close()
    await server.close()
    expect(clock.pending).toBe(0)
  }
  return { server, clock, session, run, send, close }
}

describe('a stream that never ends', () => {
  test('is left when it falls silent: what was said is kept, and the server sees the connection close', async () => {
    const { run, session, server, clock, send, close } = await dripping([beginning('Hel')], [answer('Fine.')])
    await send(0)
    clock.advance(199)
    expect(session.state.status).toBe('running')
    clock.advance(1)
    const events = await collect(run)
    expect(await run.result).toMatchObject({
      reason: 'error',
      text: 'Hel',
      recorded: true,
      error: { code: 'provider.idle', retryable: true, message: expect.stringMatching(/nothing for 200 ms/) },
    })
    expect(await server.requests[0]?.closed).toEqual({ whole: false })
    expect(session.state.history.at(-1)).toMatchObject({ role: 'assistant', partial: true })
    expectNothingOpen(events, session.state)
    await expectUsable(session)
    await close()
  })

  test('lives on any byte, and ends when the whole attempt has had its time', async () => {
    const pings = Array.from({ length: 7 }, () => PING)
    const { run, session, server, clock, send, close } = await dripping([...pings], [answer('Fine.')])
    for (const i of pings.keys()) {
      clock.advance(140)
      await send(i)
    }
    expect(session.state.status, 'after 980 ms').toBe('running')
    clock.advance(20)
    expect(await run.result).toMatchObject({
      reason: 'error',
      recorded: true,
      error: { code: 'provider.deadline', retryable: false, message: expect.stringMatching(/longer than 1000 ms/) },
    })
    expect(await server.requests[0]?.closed).toEqual({ whole: false })
    await expectUsable(session)
    await close()
  })

  test('is asked again, and what it said is void', async () => {
    const server = await recordingServer([{ body: [beginning('Hel'), never] }, answer('Fine.')])
    const { agent, clock } = agentAt(server.url, { timeouts })
    const session = await agent.session('s')
    const run = session.run('Hello')
    await stateWhere(session, ({ pending }) => pending.message?.parts.length === 1)
    clock.advance(200)
    await stateWhere(session, ({ live }) => live.activity?.kind === 'retrying')
    clock.advance(1_000)
    expect(await run.result).toMatchObject({ reason: 'stop', text: 'Fine.' })
    expect(server.requests.length).toBe(2)
    expectNothingOpen(await collect(run), session.state)
    await agent.close()
    await server.close()
    expect(clock.pending).toBe(0)
  })
})

test('a server that never answers is left after the time for the first sign of life', async () => {
  let asked = () => {}
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  const server = createServer(() => asked())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { agent, clock } = agentAt(baseURL, { timeouts, retries: { max: 0 } })
  const session = await agent.session('s')
  const run = session.run('Hello')
  await isAsked
  clock.advance(300)
  expect(await run.result).toMatchObject({
    reason: 'error',
    recorded: true,
    error: { code: 'provider.connect-timeout', retryable: true, message: expect.stringMatching(/answer for 300 ms/) },
  })
  expectNothingOpen(await collect(run), session.state)
  await agent.close()
  await new Promise((resolve) => server.close(resolve))
  expect(clock.pending).toBe(0)
})

describe('a server that asks to wait', () => {
  const limited = (headers: Readonly<Record<string, string>>): Reply => ({ status: 429, headers })
  const now = Date.UTC(2026, 0, 1)

  test.each<[string, Readonly<Record<string, string>>, number]>([
    ['for seconds', { 'retry-after': '3' }, 3_000],
    ['until a date', { 'retry-after': new Date(now + 7_000).toUTCString() }, 7_000],
    ['for milliseconds, which win', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    ['not at all, but never in a busy loop', { 'retry-after': '0' }, 10],
    ['for less than nothing', { 'retry-after': '-5' }, 1_000],
    ['soon', { 'retry-after': 'soon' }, 1_000],
  ])('%s', async (_name, headers, delayMs) => {
    const server = await recordingServer([limited(headers), answer('Fine.')])
    const { agent, clock } = agentAt(server.url)
    const session = await agent.session('s')
    vi.spyOn(Date, 'now').mockReturnValue(now)
    const { result, events } = await ask(session, clock)
    vi.restoreAllMocks()
    expect(result).toMatchObject({ reason: 'stop', text: 'Fine.' })
    expect(ofType(events, 'activity')[0]).toMatchObject({ activity: { kind: 'retrying', attempt: 2, delayMs } })
    await agent.close()
    await server.close()
  })

  test('is not asked again once the run is stopped', async () => {
    const server = await recordingServer([limited({ 'retry-after': '30' }), answer('Fine.')])
    const { agent, clock } = agentAt(server.url)
    const session = await agent.session('s')
    const run = session.run('Hello')
    await stateWhere(session, ({ live }) => live.activity?.kind === 'retrying')
    clock.advance(1_000)
    await session.abort(run.id)
    expect(await run.result).toMatchObject({ reason: 'aborted', recorded: true })
    expect(server.requests.length).toBe(1)
    expectNothingOpen(await collect(run), session.state)
    await expectUsable(session)
    await agent.close()
    expect(clock.pending).toBe(0)
    await server.close()
  })
})
