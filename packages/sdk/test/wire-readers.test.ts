import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createAgent } from '../src/agent/create-agent.ts'
import type { AgentEvent } from '../src/protocol/events.ts'
import { reduce } from '../src/protocol/reduce.ts'
import { makeSeq } from '../src/protocol/seq.ts'
import { initialState, type SessionState } from '../src/protocol/state.ts'
import { memoryStore } from '../src/stores/memory.ts'
import { sqliteStore } from '../src/stores/sqlite/index.ts'
import type { SessionStore } from '../src/stores/store.ts'
import { agentWorld } from '../src/testing/agent-world.ts'
import { type ScriptedStep, scriptedModel } from '../src/testing/scripted-model.ts'
import { type SseFrame, sseFrames } from '../src/testing/sse.ts'
import { createAgentServer } from '../src/wire/server/index.ts'
import { listen } from './fixtures/served.ts'

const authorize = () => ({ id: 'ada' })
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const send = (url: string, id: string, text: string) =>
  fetch(`${url}/sessions/s/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, type: 'input', mode: 'run', parts: [{ type: 'text', text }] }),
  })
const create = (url: string) =>
  fetch(`${url}/sessions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"id":"s"}' })

const finishes = ({ events = [] }: SseFrame, runId: string): boolean =>
  events.some((event) => event.type === 'finish' && event.runId === runId)

/** Folds a stream until the end of a run. Fails where a frame does not follow the one before. */
async function follow(response: Response, runId: string, from: SessionState = initialState('s')) {
  let state = from
  let frames = 0
  for await (const frame of sseFrames(response)) {
    if (frame.prev === undefined || frame.head === undefined) throw new Error(`Not a batch: ${JSON.stringify(frame)}`)
    if (frame.prev !== state.seq) throw new Error(`A hole: at ${state.seq}, and the frame follows ${frame.prev}.`)
    frames++
    state = reduce(state, frame.events ?? [])
    if (state.seq !== frame.head) throw new Error(`At ${state.seq} after a frame that leads to ${frame.head}.`)
    if (finishes(frame, runId)) break
  }
  return { state, frames }
}

/** A session whose log has so many more events, written as an owner would have. */
async function grow(store: SessionStore, count: number, event: (seq: number) => AgentEvent): Promise<void> {
  const lease = await store.acquire('s', { owner: 'test:1:x', ttlMs: 60_000 })
  for (let index = 1; index <= count; index += 1_000) {
    const events = Array.from({ length: Math.min(1_000, count - index + 1) }, (_, i) =>
      event(makeSeq(lease.generation, index + i)),
    )
    await store.append('s', events, { generation: lease.generation })
  }
  await lease.release()
}

/** So many words, none like another: a model that repeats itself would be cut. */
const prose = (words: number, start = 0): string =>
  Array.from({ length: words }, (_, i) => `${((start + i) * 7_919).toString(36)} `).join('')

const titled = (seq: number): AgentEvent => ({ type: 'session-updated', seq, at: 1, title: `Title ${seq}` })

describe('200 readers over loopback', () => {
  it('all see every event of a busy session in order, and are told to come back at the end', async () => {
    const steps: ScriptedStep[] = Array.from({ length: 3 }, (_, run) => ({
      reasoning: prose(10, run),
      text: prose(60, run * 1_000),
    }))
    const agent = createAgent({ model: scriptedModel(steps) })
    const server = createAgentServer({ agent, authorize })
    const { url, close } = await listen(server.fetch)
    closers.push(close)
    await create(url)
    const early = Array.from({ length: 100 }, async () => follow(await fetch(`${url}/sessions/s/events`), 'run_c'))
    await (await send(url, 'a', 'One')).json()
    const late = Array.from({ length: 100 }, async () => follow(await fetch(`${url}/sessions/s/events`), 'run_c'))
    const session = await agent.session('s')
    await session.follow('run_a').result
    await (await send(url, 'b', 'Two')).json()
    await session.follow('run_b').result
    await (await send(url, 'c', 'Three')).json()
    const read = await Promise.all([...early, ...late])
    const whole = JSON.stringify(session.state)
    expect(read.every(({ state }) => JSON.stringify(state) === whole)).toBe(true)

    const waiting = Array.from({ length: 50 }, async () => {
      let last: SseFrame = {}
      for await (const frame of sseFrames(await fetch(`${url}/events?s=s:${session.state.seq}`))) last = frame
      return last
    })
    const first = await fetch(`${url}/sessions/s/events?after=${session.state.seq}`)
    await server.close()
    expect((await Promise.all(waiting)).every(({ reconnect }) => reconnect !== undefined)).toBe(true)
    expect(await first.text()).toContain('"reconnect"')
    await agent.close()
  }, 20_000)
})

describe('a reader that is behind', () => {
  it('gets 50,000 events in pages, no faster than it reads', async () => {
    const store = memoryStore()
    let mostRead = 0
    let read = 0
    const counting: SessionStore = {
      ...store,
      async *read(id, options) {
        for await (const batch of store.read(id, options)) {
          read += batch.length
          yield batch
        }
      },
    }
    const { agent } = agentWorld([], { store: counting })
    await agent.session('s', { principal: 'ada' })
    await grow(store, 50_000, titled)
    const server = createAgentServer({ agent, authorize })
    const response = await server.fetch(new Request('http://agent.test/sessions/s/events'))
    const opened = read
    let seen = 0
    let at = 0
    for await (const frame of sseFrames(response)) {
      expect(frame.prev).toBe(at)
      at = frame.head ?? 0
      seen += frame.events?.length ?? 0
      mostRead = Math.max(mostRead, read - opened - seen)
      if (seen === 50_001) break
    }
    expect(mostRead).toBeLessThan(5_000)
  })

  it('is told to read the snapshot where that is shorter, unless it reads the log itself', async () => {
    const { agent, store } = agentWorld([])
    await agent.session('s', { principal: 'ada' })
    await grow(store, 21_000, titled)
    const server = createAgentServer({ agent, authorize })
    const after = makeSeq(1, 1)
    const head = makeSeq(1, 21_000)
    const several = sseFrames(await server.fetch(new Request(`http://agent.test/events?s=s:${after}`)))
    expect((await several.next()).value).toEqual({ session: 's', resync: true, head })
    const one = sseFrames(await server.fetch(new Request(`http://agent.test/sessions/s/events?after=${after}`)))
    expect((await one.next()).value).toMatchObject({ prev: after })
  })
})

describe('a reader that is slow', () => {
  it('gets what it missed as merged text', async () => {
    const pieces = prose(100_000).match(/.{1,40}/g) ?? []
    const events = pieces.map((piece) => [{ type: 'text', part: 0, text: piece } as const])
    const { agent } = agentWorld([[...events, [{ type: 'done', stop: 'stop' }]]])
    const session = await agent.session('s', { principal: 'ada' })
    const server = createAgentServer({ agent, authorize })
    const response = await server.fetch(new Request('http://agent.test/sessions/s/events'))
    // Nobody reads until all of it was shown.
    const { id, result } = session.run('Go')
    expect((await result).reason).toBe('stop')
    const { state, frames } = await follow(response, id)
    expect(JSON.stringify(state)).toBe(JSON.stringify(session.state))
    expect(frames).toBeLessThan(pieces.length / 2)
  })

  it('gets from the store what is too much to keep for it', async () => {
    const steps = Array.from({ length: 60 }, (_, i) => prose(4_000, i * 10_000))
    const { agent } = agentWorld(steps)
    const session = await agent.session('s', { principal: 'ada' })
    const server = createAgentServer({ agent, authorize })
    const response = await server.fetch(new Request('http://agent.test/sessions/s/events'))
    let last = ''
    for (let i = 0; i < 60; i++) {
      const run = session.run('Go')
      await run.result
      last = run.id
    }
    const { state } = await follow(response, last)
    expect(JSON.stringify(state)).toBe(JSON.stringify(session.state))
  })

  it('holds nobody else back, and a reader that never reads does not stop the run', async () => {
    const { agent } = agentWorld([prose(40_000), prose(40_000, 50_000)])
    await agent.session('s', { principal: 'ada' })
    const server = createAgentServer({ agent, authorize })
    const { url, close } = await listen(server.fetch)
    closers.push(close)
    const paused = request(`${url}/sessions/s/events`, (response) => response.pause())
    paused.on('error', () => {})
    paused.end()
    const reading = fetch(`${url}/sessions/s/events`)
    await send(url, 'a', 'One')
    await (await agent.session('s')).follow('run_a').result
    await send(url, 'b', 'Two')
    expect((await follow(await reading, 'run_b')).state.lastFinish?.reason).toBe('stop')
    paused.destroy()
  })
})

describe('two processes on one file', () => {
  const files = () => {
    const folder = mkdtempSync(join(tmpdir(), 'stepwell-wire-'))
    closers.push(() => rmSync(folder, { recursive: true, force: true }))
    return join(folder, 'agent.db')
  }

  it('serve the same session: a reader of the one sees the run of the other', async () => {
    const file = files()
    const served = async (steps: ScriptedStep[]) => {
      const agent = createAgent({ model: scriptedModel(steps), store: sqliteStore(file) })
      const server = createAgentServer({ agent, authorize })
      const { url, close } = await listen(server.fetch)
      closers.push(async () => {
        await server.close({ drainMs: 0 })
        await close()
        await agent.close({ drainMs: 0 })
      })
      return { agent, url }
    }
    const one = await served(['Hello from the first.'])
    const two = await served([])
    await create(one.url)
    const reading = follow(await fetch(`${two.url}/sessions/s/events`), 'run_a')
    expect((await (await send(one.url, 'a', 'Hi')).json()).receipt.status).toBe('started')
    const { state } = await reading
    expect(JSON.stringify(state)).toBe(JSON.stringify((await one.agent.session('s')).state))
    const deleted = await fetch(`${one.url}/sessions/s`, { method: 'DELETE' })
    expect(deleted.status).toBe(204)
    expect((await fetch(`${two.url}/sessions/s`)).status).toBe(404)
  }, 15_000)
})
