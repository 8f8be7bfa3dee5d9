import type { AgentEvent } from '../../protocol/events.ts'
import type { AssistantMessage, UserMessage } from '../../protocol/messages.ts'
import { makeSeq } from '../../protocol/seq.ts'
import type { ReadOptions, SessionStore } from '../../stores/store.ts'
import { expectCode, expectSame } from '../conformance.ts'
import { create, note, numbered, OTHER, owned, readAll, type StoreRule, seqsOf } from './world.ts'

const seq = (index: number) => makeSeq(1, index)

/** Reads by `limit` and the last seq seen, as a pager does. */
async function readInPages(
  store: SessionStore,
  id: string,
  size: number,
  direction: 'forward' | 'backward',
): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for (;;) {
    const last = events.at(-1)
    const rest: ReadOptions =
      last === undefined ? {} : direction === 'forward' ? { after: last.seq } : { before: last.seq }
    const page = await readAll(store, id, { ...rest, limit: size, direction })
    events.push(...page)
    if (page.length < size) return events
  }
}

/** A user message, a reply with two calls, their results, a reply and a user message, under ids that sort the other way. */
function conversation(at: (index: number) => number): AgentEvent[] {
  const user = (index: number, id: string): AgentEvent => {
    const message: UserMessage = { role: 'user', id, at: at(index), parts: [{ type: 'text', text: id }] }
    return { type: 'message', seq: seq(index), at: at(index), message }
  }
  const reply = (index: number, id: string, callIds: readonly string[]): AgentEvent => {
    const parts = callIds.map((callId) => ({ type: 'tool-call', callId, toolName: 't', state: 'ready' }) as const)
    const message: AssistantMessage = { role: 'assistant', id, at: at(index), parts }
    return { type: 'message', seq: seq(index), at: at(index), message }
  }
  const result = (index: number, callId: string): AgentEvent => ({
    type: 'tool-result',
    seq: seq(index),
    at: at(index),
    result: { callId, toolName: 't', outcome: 'ok', output: callId, durationMs: 0 },
  })
  return [user(1, 'z'), reply(2, 'y', ['k2', 'k1']), result(3, 'k2'), result(4, 'k1'), reply(5, 'x', []), user(6, 'a')]
}

export const logRules: readonly StoreRule[] = [
  [
    'append stores events and row in one step; head and updatedAt follow the last event',
    async ({ store }) => {
      const { generation } = await owned(store, 's')
      await store.append('s', [note(seq(1), 'a', 50), note(seq(2), 'b', 60)], {
        generation,
        row: { title: 'T', profile: 'p', metadata: { a: 1 }, openRun: 'r', parked: true, wakeAt: 5 },
      })
      const row = {
        id: 's',
        createdAt: 1_000,
        head: seq(2),
        updatedAt: 60,
        title: 'T',
        profile: 'p',
        metadata: { a: 1 },
      }
      expectSame(await store.get('s'), { ...row, openRun: 'r', parked: true, wakeAt: 5 }, 'every field of the patch')
      await store.append('s', [], {
        generation,
        row: { profile: null, metadata: null, openRun: null, parked: false, wakeAt: null, archived: true },
      })
      const after = await store.get('s')
      const kept = { id: 's', createdAt: 1_000, head: seq(2), updatedAt: 60, title: 'T', archived: true }
      expectSame({ ...after, parked: after?.parked ?? false }, { ...kept, parked: false }, 'null removes a field')
    },
  ],
  [
    'append of what is stored already succeeds and changes nothing',
    async ({ store }) => {
      const { generation } = await owned(store, 's')
      const first = [numbered(1, 1), numbered(1, 2)]
      await store.append('s', first, { generation, row: { title: 'one' } })
      await store.append('s', [numbered(1, 3)], { generation, row: { title: 'two' } })
      await store.append('s', first, { generation, row: { title: 'one' } })
      expectSame((await store.get('s'))?.title, 'two', 'the row is not set back')
      expectSame((await store.get('s'))?.head, seq(3), 'nor is the head')
      await store.append('s', [numbered(1, 3), numbered(1, 4)], { generation })
      expectSame(await seqsOf(store, 's', { after: 1 }), [1, 2, 3, 4].map(seq), 'each event once')
    },
  ],
  [
    'a log only grows at its end',
    async ({ store }) => {
      const { generation } = await owned(store, 's')
      await store.append('s', [numbered(1, 5)], { generation })
      await expectCode(() => store.append('s', [numbered(1, 4)], { generation }), 'session.conflict', 'below the head')
      const unordered = [numbered(1, 7), numbered(1, 6)]
      await expectCode(() => store.append('s', unordered, { generation }), 'session.conflict', 'out of order')
      expectSame(await seqsOf(store, 's'), [1, seq(5)], 'nothing of it is stored')
    },
  ],
  [
    'read gives any range in both directions, and pages of 2 join without gap or repetition',
    async ({ store }) => {
      const { generation } = await owned(store, 's')
      for (let index = 1; index <= 9; index += 3) {
        await store.append('s', [numbered(1, index), numbered(1, index + 1), numbered(1, index + 2)], { generation })
      }
      const all = [1, ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map(seq)]
      const read = (options: ReadOptions) => seqsOf(store, 's', options)
      expectSame(await read({}), all, 'everything')
      expectSame(await read({ direction: 'backward' }), all.toReversed(), 'backward')
      expectSame(await read({ after: seq(4) }), [5, 6, 7, 8, 9].map(seq), 'after')
      expectSame(await read({ before: seq(2) }), [1, seq(1)], 'before')
      expectSame(await read({ after: seq(2), before: seq(5) }), [3, 4].map(seq), 'between')
      expectSame(await read({ after: seq(2), limit: 2 }), [3, 4].map(seq), 'the first ones')
      expectSame(await read({ before: seq(8), limit: 2, direction: 'backward' }), [7, 6].map(seq), 'the last ones')
      expectSame(await read({ after: seq(9) }), [], 'after the end')
      expectSame(await read({ limit: 0 }), [], 'none')
      for (const direction of ['forward', 'backward'] as const) {
        const paged = (await readInPages(store, 's', 2, direction)).map((event) => event.seq)
        expectSame(paged, direction === 'forward' ? all : all.toReversed(), `pages of 2, ${direction}`)
      }
    },
  ],
  [
    'order is that of seq alone: frozen clock, clock jumping back, ids sorting in reverse, appends not awaited',
    async ({ store }) => {
      const clocks = { frozen: () => 5_000, backwards: (index: number) => 5_000_000 - index * 3_600_000 }
      for (const [id, at] of Object.entries(clocks)) {
        const { generation } = await owned(store, id)
        const events = conversation(at)
        await Promise.all(events.map((event) => store.append(id, [event], { generation })))
        expectSame((await readAll(store, id)).slice(1), events, `${id}: the order of the appends`)
        expectSame((await readInPages(store, id, 2, 'forward')).slice(1), events, `${id}: also in pages of 2`)
      }
    },
  ],
  [
    'a reader sees whole appends, also while others write',
    async ({ store }) => {
      const { generation } = await owned(store, 's')
      const append = (from: number, count: number) =>
        store.append(
          's',
          Array.from({ length: count }, (_, i) => numbered(1, from + i)),
          { generation },
        )
      await append(1, 1_200)
      await append(1_201, 1_200)
      let count = 0
      let written = false
      for await (const batch of store.read('s')) {
        count += batch.length
        if (!written) await append(2_401, 1_200)
        written = true
      }
      expectSame((count - 1) % 1_200, 0, 'no part of an append')
      expectSame((await readAll(store, 's')).length, 3_601, 'and then all of it')
    },
  ],
  [
    'a read that is left early does no harm',
    async ({ store }) => {
      const { generation } = await owned(store, 's')
      await store.append('s', [numbered(1, 1), numbered(1, 2)], { generation })
      for await (const _ of store.read('s')) break
      await store.append('s', [numbered(1, 3)], { generation })
      expectSame((await readAll(store, 's')).length, 4, 'the store goes on')
    },
  ],
  [
    'sessions do not see each other',
    async ({ store }) => {
      const [one, two] = [await owned(store, 'one'), await owned(store, 'two')]
      await Promise.all([
        store.append('one', [note(seq(1), 'of one')], { generation: one.generation }),
        store.append('two', [note(seq(1), 'of two'), note(seq(2), 'more')], { generation: two.generation }),
      ])
      expectSame(await readAll(store, 'one', { after: 1 }), [note(seq(1), 'of one')], 'the log of one')
      expectSame(await seqsOf(store, 'two'), [1, seq(1), seq(2)], 'the log of two')
    },
  ],
]

/** For storage that outlives its handle. */
export const reopenRules: readonly StoreRule[] = [
  [
    'what is stored survives its handle, and two handles see each other',
    async ({ store, clock, options }) => {
      if (!options.reopen) return
      const { generation } = await owned(store, 's')
      const second = await options.reopen(store, { now: () => clock.time })
      await store.append('s', [numbered(1, 1)], { generation })
      expectSame(await seqsOf(second, 's'), [1, seq(1)], 'the other handle reads it')
      await expectCode(() => second.acquire('s', OTHER), 'session.busy', 'and respects the lease')
      await second.acquire('s', { ...OTHER, takeover: true })
      await expectCode(() => store.append('s', [numbered(1, 2)], { generation }), 'session.lease-lost', 'and fences')
      await second.close()
      await create(store, 'kept')
      await store.close()
      const third = await options.reopen(store, { now: () => clock.time })
      expectSame(await third.heads(['s', 'kept']), { s: seq(1), kept: 1 }, 'all of it is there')
      await third.close()
    },
  ],
]
