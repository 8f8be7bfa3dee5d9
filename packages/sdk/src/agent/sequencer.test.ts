import { describe, expect, test } from 'vitest'
import { SessionError, StoreError } from '../protocol/errors.ts'
import type { AgentEvent, EventBatch, EventDraft } from '../protocol/events.ts'
import { reduce } from '../protocol/reduce.ts'
import { makeSeq } from '../protocol/seq.ts'
import type { SessionState } from '../protocol/state.ts'
import { memoryStore } from '../stores/memory.ts'
import type { AppendOptions } from '../stores/store.ts'
import { delta, finish, reply, streaming } from '../testing/drafts.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { microtasks } from '../testing/microtasks.ts'
import { createSequencer } from './sequencer.ts'

interface Append extends AppendOptions {
  readonly events: readonly AgentEvent[]
  settle(): Promise<void>
  fail(error: unknown): Promise<void>
}

const GENERATION = 3
const busy = new StoreError('store.locked', 'The database is locked.', { retryable: true })
const notice = (code: string): EventDraft => ({ type: 'notice', code, text: '' })
const output = (text: string): EventDraft => ({ type: 'tool-output', runId: 'r', callId: 'c', text })

/** A sequencer over a store whose every append waits for the test. */
function world(state: SessionState = streaming) {
  const clock = manualClock(5_000)
  const appends: Append[] = []
  const shown: EventBatch[] = []
  const faults: string[] = []
  let seen = state
  const sequencer = createSequencer({
    clock,
    generation: GENERATION,
    state,
    store: {
      ...memoryStore(),
      append: (_id, events, options) =>
        new Promise<void>((resolve, reject) => {
          const settle = async () => {
            resolve()
            await microtasks()
          }
          const fail = async (error: unknown) => {
            reject(error)
            await microtasks()
          }
          appends.push({ ...options, events, settle, fail })
        }),
    },
    show(batch, next) {
      shown.push(batch)
      seen = reduce(seen, batch.events)
      expect(next.pending).toEqual(seen.pending)
    },
    onFault: ({ code }) => void faults.push(code),
  })
  const append = (i: number) => appends[i] as Append
  return { sequencer, clock, appends, append, shown, faults }
}

const codes = (batches: readonly { readonly events: readonly AgentEvent[] }[]) =>
  batches.map(({ events }) =>
    events.map((event) =>
      'code' in event ? event.code : 'text' in event ? `${event.type} ${event.text}` : event.type,
    ),
  )

describe('order', () => {
  test('nothing durable is shown before it is stored', async () => {
    const { sequencer, append, shown } = world()
    sequencer.sequence([notice('a')])
    expect(sequencer.state.notices).toHaveLength(1)
    expect(shown).toEqual([])
    await append(0).settle()
    expect(codes(shown)).toEqual([['a']])
  })

  test('everything sequenced during an append goes into the next one', async () => {
    const { sequencer, appends, append, shown } = world()
    sequencer.sequence([notice('a')])
    sequencer.sequence([notice('b')])
    sequencer.sequence([delta(0, 0, 'x')])
    sequencer.sequence([output('o')])
    sequencer.sequence([notice('c')])
    expect(codes(appends)).toEqual([['a']])
    await append(0).settle()
    expect(codes(appends)).toEqual([['a'], ['b', 'text-delta x', 'c']])
    expect(codes(shown)).toEqual([['a']])
    await append(1).settle()
    expect(codes(shown)).toEqual([['a'], ['b', 'text-delta x', 'tool-output o', 'c']])
    expect(appends).toHaveLength(2)
  })

  test('what is live waits behind what is durable, and needs no append of its own', async () => {
    const { sequencer, appends, append, shown } = world()
    sequencer.sequence([output('first')])
    expect(codes(shown)).toEqual([['tool-output first']])
    sequencer.sequence([notice('a')])
    sequencer.sequence([output('second')])
    expect(shown).toHaveLength(1)
    await append(0).settle()
    expect(codes(shown)).toEqual([['tool-output first'], ['a'], ['tool-output second']])
    expect(appends).toHaveLength(1)
  })

  test('batches link up without holes, and seqs count in the generation', async () => {
    const { sequencer, append, shown } = world()
    sequencer.sequence([delta(0, 0, 'a')])
    sequencer.sequence([notice('a'), notice('b')])
    sequencer.sequence([delta(0, 1, 'b')])
    await append(0).settle()
    await append(1).settle()
    const seq = (index: number) => makeSeq(GENERATION, index)
    expect(shown.map(({ prev, head }) => [prev, head])).toEqual([
      [streaming.seq, seq(1)],
      [seq(1), seq(3)],
      [seq(3), seq(4)],
    ])
    expect(shown.flatMap(({ events }) => events.map((event) => event.seq))).toEqual([1, 2, 3, 4].map(seq))
  })

  test('a receipt alone is stored in its turn, with the rows of one append merged', async () => {
    const { sequencer, append, shown } = world()
    sequencer.sequence([notice('a')])
    sequencer.sequence([], { receipts: [{ commandId: 'c1', status: 'done' }], row: { title: 'A', parked: true } })
    sequencer.sequence([], { receipts: [{ commandId: 'c2', status: 'done' }], row: { title: 'B' } })
    const stored = sequencer.stored()
    await append(0).settle()
    expect(append(1)).toMatchObject({ events: [], generation: GENERATION, row: { title: 'B', parked: true } })
    expect(append(1).receipts?.map(({ commandId }) => commandId)).toEqual(['c1', 'c2'])
    await append(1).settle()
    await stored
    expect(shown).toHaveLength(1)
  })

  test('stored() settles when everything sequenced before it is stored and shown, and no later', async () => {
    const { sequencer, append, shown } = world()
    await sequencer.stored()
    const settled: string[] = []
    sequencer.sequence([notice('a')])
    void sequencer.stored().then(() => settled.push(`a after ${shown.length}`))
    sequencer.sequence([notice('b')])
    void sequencer.stored().then(() => settled.push(`b after ${shown.length}`))
    await append(0).settle()
    expect(settled).toEqual(['a after 1'])
    await append(1).settle()
    expect(settled).toEqual(['a after 1', 'b after 2'])
  })

  test('values that no store can hold are cleaned on their way in', async () => {
    const { sequencer, append } = world()
    sequencer.sequence([
      delta(0, 0, 'a\u0000\ud800'),
      { type: 'notice', code: 'n', text: '\udc00', details: { x: Number.NaN, y: undefined as never } },
    ])
    expect(append(0).events).toMatchObject([{ text: 'a\uFFFD\uFFFD' }, { text: '\uFFFD', details: { x: null } }])
    expect(Object.keys((append(0).events[1] as { details: object }).details)).toEqual(['x'])
  })
})

describe('deltas', () => {
  test('are shown at once and stored merged once a second', async () => {
    const { sequencer, clock, appends, append, shown } = world()
    for (const [i, letter] of ['H', 'e', 'y'].entries()) sequencer.sequence([delta(0, i, letter)])
    expect(codes(shown)).toEqual([['text-delta H'], ['text-delta e'], ['text-delta y']])
    clock.advance(999)
    expect(appends).toEqual([])
    clock.advance(1)
    expect(append(0).events).toMatchObject([{ text: 'Hey', from: 0, seq: makeSeq(GENERATION, 3) }])
    await append(0).settle()
    clock.advance(10_000)
    expect(appends).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })

  test('are flushed before any other append, in the same one', async () => {
    const { sequencer, clock, append, appends } = world()
    sequencer.sequence([delta(0, 0, 'He')])
    sequencer.sequence([delta(0, 2, 'y')])
    sequencer.sequence([reply({ type: 'text', text: 'Hey' })])
    expect(codes(appends)).toEqual([['text-delta Hey', 'message']])
    expect(clock.pending).toBe(0)
    await append(0).settle()
    expect(appends).toHaveLength(1)
  })

  test('a flush holds nothing back', async () => {
    const { sequencer, clock, append, shown } = world()
    sequencer.sequence([delta(0, 0, 'a')])
    clock.advance(1_000)
    sequencer.sequence([delta(0, 1, 'b')])
    expect(codes(shown)).toEqual([['text-delta a'], ['text-delta b']])
    expect(sequencer.unstored()).toMatchObject([{ text: 'a' }, { text: 'b' }])
    await append(0).settle()
    expect(sequencer.unstored()).toMatchObject([{ text: 'b' }])
  })

  test('text that came during a flush longer than a second is flushed right after it', async () => {
    const { sequencer, clock, appends, append } = world()
    sequencer.sequence([delta(0, 0, 'a')])
    clock.advance(1_000)
    sequencer.sequence([delta(0, 1, 'b')])
    clock.advance(1_500)
    expect(appends).toHaveLength(1)
    await append(0).settle()
    expect(codes(appends)).toEqual([['text-delta a'], ['text-delta b']])
  })

  test('flush() stores what was shown, and asks the store nothing when that is done', async () => {
    const { sequencer, append, appends } = world()
    await sequencer.flush()
    expect(appends).toEqual([])
    sequencer.sequence([delta(0, 0, 'a')])
    const flushed = sequencer.flush()
    expect(codes(appends)).toEqual([['text-delta a']])
    await append(0).settle()
    await flushed
    expect(sequencer.unstored()).toEqual([])
  })

  test('what is stored merged folds to what was shown', async () => {
    const { sequencer, append, appends, clock } = world()
    sequencer.sequence([delta(0, 0, 'He'), { ...delta(1, 0, 'Th'), type: 'reasoning-delta' } as EventDraft])
    clock.advance(1_000)
    sequencer.sequence([delta(0, 2, 'llo')])
    await append(0).settle()
    sequencer.sequence([notice('a')])
    await append(1).settle()
    const replayed = reduce(
      streaming,
      appends.flatMap(({ events }) => events),
    )
    expect(replayed.pending).toEqual(sequencer.state.pending)
  })
})

describe('a store that fails', () => {
  test('is asked five times within three seconds with the same events', async () => {
    const { sequencer, clock, appends, append, shown, faults } = world()
    sequencer.sequence([notice('a')])
    const waits = [50, 200, 750, 2_000]
    for (const [tried, wait] of waits.entries()) {
      await append(tried).fail(busy)
      clock.advance(wait - 1)
      await microtasks()
      expect(appends).toHaveLength(tried + 1)
      clock.advance(1)
      await microtasks()
      expect(append(tried + 1).events).toEqual(append(0).events)
    }
    await append(4).settle()
    expect([codes(shown), faults]).toEqual([[['a']], []])
  })

  test('and fails again and again: what waited is void, everyone who waits is told, nothing more is accepted', async () => {
    const { sequencer, clock, appends, append, shown, faults } = world()
    sequencer.sequence([delta(0, 0, 'seen')])
    sequencer.sequence([notice('a')])
    const first = expect(sequencer.stored()).rejects.toBe(busy)
    sequencer.sequence([notice('b')])
    const second = expect(sequencer.stored()).rejects.toBe(busy)
    for (let tried = 0; tried < 5; tried++) {
      await append(tried).fail(busy)
      clock.advance(2_000)
      await microtasks()
    }
    await Promise.all([first, second])
    const head = makeSeq(GENERATION, 1)
    expect(shown.at(-1)).toEqual({ prev: head, head, events: [], fault: busy.toJSON() })
    expect([codes(shown), faults]).toEqual([[['text-delta seen'], []], ['store.locked']])
    sequencer.sequence([notice('c')])
    await expect(sequencer.stored()).rejects.toBe(busy)
    expect([appends.length, clock.pending]).toEqual([5, 0])
  })

  test('with an error of its own kind: the fault has a stable code', async () => {
    const { sequencer, clock, append, shown } = world()
    sequencer.sequence([notice('a')])
    const waiting = expect(sequencer.stored()).rejects.toMatchObject({ code: 'store.unavailable' })
    for (let tried = 0; tried < 5; tried++) {
      await append(tried).fail(new Error('EIO'))
      clock.advance(2_000)
      await microtasks()
    }
    await waiting
    expect(shown.at(-1)?.fault).toMatchObject({ code: 'store.unavailable', message: expect.stringContaining('EIO') })
  })

  test('a failed flush is a fault too', async () => {
    const { sequencer, clock, append, faults } = world()
    sequencer.sequence([delta(0, 0, 'a')])
    clock.advance(1_000)
    for (let tried = 0; tried < 5; tried++) {
      await append(tried).fail(busy)
      clock.advance(2_000)
      await microtasks()
    }
    expect(faults).toEqual(['store.locked'])
  })

  test('a lost lease ends it at once and shows no fault', async () => {
    const { sequencer, clock, append, appends, shown, faults } = world()
    const lost = new SessionError('session.lease-lost', 'Another owner took over.')
    sequencer.sequence([finish()])
    const waiting = expect(sequencer.stored()).rejects.toBe(lost)
    await append(0).fail(lost)
    await waiting
    expect([shown, faults]).toEqual([[], ['session.lease-lost']])
    expect([appends.length, clock.pending]).toEqual([1, 0])
  })
})

describe('halted', () => {
  const released = new SessionError('session.closed', 'Released.')

  test('what is under way is not shown, what waits is void', async () => {
    const { sequencer, clock, append, appends, shown, faults } = world()
    sequencer.sequence([notice('a')])
    sequencer.sequence([notice('b')])
    const waiting = expect(sequencer.stored()).rejects.toBe(released)
    sequencer.halt(released)
    await waiting
    await append(0).settle()
    expect([shown, faults, appends.length, clock.pending]).toEqual([[], [], 1, 0])
  })

  test('no further try is made', async () => {
    const { sequencer, clock, append, appends } = world()
    sequencer.sequence([notice('a')])
    await append(0).fail(busy)
    sequencer.halt(released)
    expect(clock.pending).toBe(0)
    clock.advance(10_000)
    await microtasks()
    expect(appends).toHaveLength(1)
  })
})
