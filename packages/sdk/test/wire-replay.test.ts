import { afterEach, expect, it } from 'vitest'
import { createAgent } from '../src/agent/create-agent.ts'
import type { Clock } from '../src/protocol/clock.ts'
import { canonicalJson } from '../src/protocol/json.ts'
import { reduce } from '../src/protocol/reduce.ts'
import type { AgentSession } from '../src/protocol/session.ts'
import { initialState, type SessionState } from '../src/protocol/state.ts'
import type { ModelRequest } from '../src/providers/provider.ts'
import { memoryStore } from '../src/stores/memory.ts'

import { storedEvents } from '../src/testing/agent-world.ts'
import { type Choose, chances } from '../src/testing/random-steps.ts'
import { type ScriptedReply, scriptedModel } from '../src/testing/scripted-model.ts'
import { defineTool } from '../src/tools/define-tool.ts'
import { type Client, createClient } from '../src/wire/client/index.ts'
import { createAgentServer } from '../src/wire/server/index.ts'
import { chaosFetch, tick } from './fixtures/chaos-fetch.ts'
import { listen } from './fixtures/served.ts'

const HISTORIES = process.env.STEPWELL_DEEP ? 2_000 : 200
const STEPS = 12

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Time in which no wait takes any: who has to try again does so at once. Nothing is ever silent for too long. */
const hastyClock: Clock = {
  now: () => 0,
  setTimer(callback, _ms, options) {
    if (options?.background) return () => {}
    const timer = setImmediate(callback)
    return () => clearImmediate(timer)
  },
}

/** What a replay has to reproduce. */
function replayable({ live: _live, ...state }: SessionState): string {
  return canonicalJson(state)
}

/** Says something else every time, and comes to an end after a few turns. */
function reply(choose: Choose, { messages }: ModelRequest): ScriptedReply {
  const last = messages.findLast((message) => message.role === 'user')
  const turn = messages.filter((message) => message.role === 'assistant' && message.runId === last?.runId).length
  const words = (n: number) => Array.from({ length: n }, () => ['one', 'zwei', '👩‍🚀', 'four'][choose(4)]).join(' ')
  const calls = Array.from({ length: turn < 2 ? choose(3) : 0 }, () => ({
    name: ['read', 'write'][choose(2)] ?? 'read',
    input: { item: words(2) },
  }))
  const wait = async () => {
    for (let i = choose(3); i > 0; i--) await tick()
  }
  const failure = choose(12) === 0 ? { error: new Error('The model broke.') } : {}
  return { reasoning: words(choose(4)), text: words(choose(6) + 1), calls, ...failure, before: wait, between: wait }
}

/** A reader that folds for itself, from any state somebody saw. */
class Reader {
  state: SessionState
  readonly #leave = new AbortController()

  constructor(session: AgentSession, from: SessionState) {
    this.state = from
    void this.#read(session)
  }

  async #read(session: AgentSession): Promise<void> {
    for await (const event of session.events({ after: this.state.seq, signal: this.#leave.signal })) {
      this.state = reduce(this.state, [event])
    }
  }

  leave(): void {
    this.#leave.abort()
  }
}

it(`shows ${HISTORIES} histories to clients that join late, are cut, come again and read slowly, as they were`, async () => {
  const byText = new Map<string, Choose>()
  const store = memoryStore()
  const chooseOf = ({ messages }: ModelRequest): Choose => {
    const [first] = messages
    const [part] = first?.role === 'user' ? first.parts : []
    return byText.get(part?.type === 'text' ? part.text : '') ?? (() => 0)
  }
  const agent = createAgent({
    model: scriptedModel([(request) => reply(chooseOf(request), request)], { repeat: true }),
    tools: (['read', 'write'] as const).map((effect) =>
      defineTool({
        name: effect,
        description: '',
        effect,
        input: { type: 'object' },
        async execute(_input, { output }) {
          output(`${effect}…`)
          await tick()
          return `${effect} done`
        },
      }),
    ),
    store,
    retries: { max: 0 },
  })
  const server = createAgentServer({ agent, authorize: () => ({ id: 'ada' }) })
  const { url, close } = await listen(server.fetch)
  closers.push(
    () => agent.close({ drainMs: 0 }),
    close,
    () => server.close({ drainMs: 0 }),
  )

  let cuts = 0
  async function history(seed: number): Promise<void> {
    const choose = chances(seed)
    const id = `history ${seed}`
    byText.set(id, choose)
    let isOn = true
    const fetch = chaosFetch({ choose, isOn: () => isOn })
    const counting: typeof fetch = async (input, init) => {
      if (String(input).includes('/events')) cuts++
      return fetch(input, init)
    }
    const clients: Client[] = []
    const sessions: AgentSession[] = []
    const seen: SessionState[] = [initialState(id)]
    const readers: Reader[] = []
    const asked: Promise<unknown>[] = []
    const join = (): AgentSession => {
      const client = createClient({ url, fetch: counting, clock: hastyClock, random: () => 0.5 })
      const session = client.session(id)
      session.ready.catch(() => {})
      session.subscribe((state) => seen.push(state))
      clients.push(client)
      sessions.push(session)
      return session
    }
    const pick = <T>(items: readonly T[]): T => items[choose(items.length)] as T
    const quietly = (answer: Promise<unknown>): void => void asked.push(answer.catch(() => {}))

    await join().run(id).result
    for (let step = 0; step < STEPS; step++) {
      const what = choose(8)
      const session = pick(sessions)
      if (what === 0 && sessions.length < 3) join()
      else if (what === 1 && readers.length < 3) readers.push(new Reader(session, pick(seen)))
      else if (what === 2) quietly(session.abort())
      else if (what === 3) quietly(session.update({ title: `Step ${step}` }))
      else if (what === 4) quietly(session.run(`Run ${step}`).result)
      else quietly(session.send(`Say ${step}`, { mode: pick(['steer', 'queue']) }))
      for (let i = choose(30); i > 0; i--) await tick()
    }
    isOn = false
    await Promise.all(asked)
    const local = await agent.session(id, { create: false })
    const all = [...sessions, ...readers]
    while (local.state.status !== 'idle' || all.some(({ state }) => state.seq < local.state.seq)) await tick()

    const truth = replayable(reduce(initialState(id), await storedEvents(store, id)))
    expect(replayable(local.state)).toBe(truth)
    for (const { state } of all) expect(replayable(state)).toBe(truth)
    for (const reader of readers) reader.leave()
    for (const client of clients) await client.close()
    await local.close()
  }

  const seeds = Array.from({ length: HISTORIES }, (_, i) => i + 1)
  const work = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) await history(seed)
  }
  await Promise.all(Array.from({ length: 8 }, work))
  expect(cuts).toBeGreaterThan(HISTORIES * 5)
}, 90_000)
