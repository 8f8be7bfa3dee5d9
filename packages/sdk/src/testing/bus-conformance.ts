import type { SessionBus } from '../bus/bus.ts'
import { type AgentEvent, type EventBatch, isDelta } from '../protocol/events.ts'
import { makeSeq } from '../protocol/seq.ts'
import { type ConformanceCase, expectSame } from './conformance.ts'

export interface BusConformanceOptions {
  /** Shown in front of each rule. */
  readonly name: string
  /** A bus without subscribers. Called once for each rule; the bus is closed after it. */
  open(): SessionBus | Promise<SessionBus>
  /** Resolves when subscriptions made so far are effective and what was published so far has arrived. Leave it out when both are synchronous. */
  settle?(bus: SessionBus): Promise<void>
}

interface BusWorld {
  readonly bus: SessionBus
  /** A subscriber that keeps what it gets. */
  follow(sessionId: string, after: number): Promise<Follower>
  /** Publishes one event a batch, each following the one before. */
  publish(sessionId: string, prev: number, events: readonly AgentEvent[]): Promise<void>
  settle(): Promise<void>
}

interface Follower {
  readonly batches: EventBatch[]
  stop(): void
}

/** The contract of `SessionBus`, rule by rule. */
export function busConformance(options: BusConformanceOptions): ConformanceCase[] {
  return rules.map(([name, check]) => ({
    name: `${options.name}: ${name}`,
    async run() {
      const bus = await options.open()
      const settle = async () => options.settle?.(bus)
      const world: BusWorld = {
        bus,
        settle,
        async follow(sessionId, after) {
          const batches: EventBatch[] = []
          const stop = bus.subscribe(sessionId, after, (batch) => batches.push(batch))
          await settle()
          return { batches, stop }
        },
        async publish(sessionId, prev, events) {
          let last = prev
          for (const event of events) {
            bus.publish(sessionId, { prev: last, head: event.seq, events: [event] })
            last = event.seq
          }
          await settle()
        },
      }
      try {
        await check(world)
      } finally {
        await bus.close()
      }
    },
  }))
}

const runId = 'run_1'
const seq = (index: number, generation = 1) => makeSeq(generation, index)

function turnStart(at: number): AgentEvent {
  const model = { provider: 'p', model: 'm', api: 'a' }
  return { type: 'turn-start', seq: at, at: 0, runId, turn: 1, attempt: 1, messageId: 'm1', purpose: 'reply', model }
}

function textDelta(at: number, from: number, text: string): AgentEvent {
  return { type: 'text-delta', seq: at, at: 0, runId, part: 0, from, text }
}

function reply(at: number): AgentEvent {
  return { type: 'message', seq: at, at: 0, runId, message: { role: 'assistant', id: 'm1', at: 0, parts: [] } }
}

function output(at: number, callId: string, text: string): AgentEvent {
  return { type: 'tool-output', seq: at, at: 0, runId, callId, text }
}

/** `turn-start` at index 2, after a user message at index 1, then one delta for each word. */
function openTurn(words: readonly string[]): AgentEvent[] {
  let from = 0
  const deltas = words.map((word, i) => {
    const delta = textDelta(seq(3 + i), from, word)
    from += word.length
    return delta
  })
  return [turnStart(seq(2)), ...deltas]
}

/** What a reader that has `text` already ends with: it drops what it has and stops at a gap. */
function textAfter(text: string, batches: readonly EventBatch[]): string {
  let result = text
  for (const event of batches.flatMap((batch) => batch.events)) {
    if (isDelta(event) && event.from <= result.length) result += event.text.slice(result.length - event.from)
  }
  return result
}

function seqsIn(batches: readonly EventBatch[]): number[] {
  return batches.flatMap((batch) => batch.events.map((event) => event.seq))
}

const rules: readonly (readonly [string, (world: BusWorld) => Promise<void>])[] = [
  [
    'batches reach every subscriber of their session, in order, as they are',
    async ({ follow, bus, settle }) => {
      const [one, two, other] = [await follow('s', 0), await follow('s', 0), await follow('other', 0)]
      const batches: EventBatch[] = []
      for (let i = 1; i <= 20; i++)
        batches.push({ prev: seq(i - 1), head: seq(i), events: [textDelta(seq(i), i, 'x')] })
      for (const batch of batches) bus.publish('s', batch)
      await settle()
      expectSame(
        one.batches.map((batch) => batch.events),
        batches.map((batch) => batch.events),
        'the first subscriber',
      )
      expectSame(two.batches, one.batches, 'the second')
      expectSame(other.batches, [], 'not that of another session')
    },
  ],
  [
    'who comes later first gets the open turn, and sees no hole',
    async ({ follow, publish }) => {
      await publish('s', seq(1), openTurn(['How ', 'are ', 'you']))
      const late = await follow('s', seq(1))
      expectSame((late.batches[0]?.prev ?? 0) <= seq(1), true, 'no hole')
      expectSame(late.batches.at(-1)?.head, seq(5), 'up to the last one published')
      expectSame(textAfter('', late.batches), 'How are you', 'all of the text')
      expectSame(seqsIn(late.batches).length, 2, 'its deltas merged')
      await publish('s', seq(5), [textDelta(seq(6), 11, '?')])
      expectSame(textAfter('', late.batches), 'How are you?', 'and then what follows')
      expectSame(seqsIn(late.batches).at(-1), seq(6), 'in order')
    },
  ],
  [
    'who has part of the open turn gets the rest, from any point',
    async ({ follow, publish }) => {
      const words = ['How ', 'are ', 'you', '?']
      await publish('s', seq(1), openTurn(words))
      for (let known = 0; known <= words.length; known++) {
        const follower = await follow('s', seq(2 + known))
        expectSame((follower.batches[0]?.prev ?? 0) <= seq(2 + known), true, `no hole after ${known} words`)
        expectSame(
          seqsIn(follower.batches).every((one) => one > seq(2 + known)),
          true,
          'nothing that was seen',
        )
        expectSame(textAfter(words.slice(0, known).join(''), follower.batches), 'How are you?', `after ${known} words`)
      }
    },
  ],
  [
    'who missed what the bus no longer holds sees it at the latest with the next batch',
    async ({ follow, publish }) => {
      await publish('s', seq(1), [...openTurn(['How ', 'are ', 'you']), reply(seq(6))])
      const late = await follow('s', seq(1))
      await publish('s', seq(6), [turnStart(seq(7))])
      expectSame((late.batches[0]?.prev ?? 0) > seq(1), true, 'a hole')
      const current = await follow('s', seq(6))
      expectSame((current.batches[0]?.prev ?? 0) <= seq(6), true, 'and none for one who has read the store')
    },
  ],
  [
    'output of tools comes once, whenever a reader joins',
    async ({ follow, publish }) => {
      const printed = [
        output(seq(2), 'a', '1'),
        output(seq(3), 'b', 'x'),
        output(seq(4), 'a', '2'),
        output(seq(5), 'b', 'y'),
      ]
      await publish('s', seq(1), printed)
      for (let known = 1; known <= 5; known++) {
        const follower = await follow('s', seq(known))
        const texts = { a: '', b: '' }
        for (const event of follower.batches.flatMap((batch) => batch.events)) {
          if (event.type === 'tool-output') texts[event.callId as 'a' | 'b'] += event.text
        }
        expectSame(
          texts,
          { a: ['12', '2', '2', '', ''][known - 1], b: ['xy', 'xy', 'y', 'y', ''][known - 1] },
          `after ${known}`,
        )
      }
    },
  ],
  [
    'what an older generation publishes is dropped once a newer one was seen',
    async ({ follow, publish }) => {
      const early = await follow('s', 0)
      await publish('s', seq(1), openTurn(['old']))
      await publish('s', seq(2), [textDelta(seq(1, 2), 0, 'new')])
      await publish('s', seq(3), [textDelta(seq(4), 3, ' stale')])
      const expected = [seq(2), seq(3), seq(1, 2)]
      expectSame(seqsIn(early.batches), expected, 'the live reader')
      expectSame(seqsIn((await follow('s', seq(2))).batches), [seq(1, 2)], 'who comes later')
    },
  ],
  [
    'a log that begins anew after its session was deleted is followed again',
    async ({ follow, publish }) => {
      await publish('s', seq(1, 5), [textDelta(seq(2, 5), 0, 'old')])
      const follower = await follow('s', 1)
      const before = follower.batches.length
      await publish('s', 1, [textDelta(seq(1), 0, 'new'), textDelta(seq(2), 3, 'er')])
      expectSame(textAfter('', follower.batches.slice(before)), 'newer', 'its text')
    },
  ],
  [
    'a fault passes through',
    async ({ follow, publish, bus, settle }) => {
      const follower = await follow('s', 0)
      await publish('s', seq(1), openTurn(['text']))
      const fault = { code: 'store.full', message: 'The disk is full.', retryable: false }
      bus.publish('s', { prev: seq(3), head: seq(3), events: [], fault })
      await settle()
      expectSame(follower.batches.at(-1)?.fault, fault, 'the fault')
    },
  ],
  [
    'a subscriber that throws harms nobody',
    async ({ follow, publish, bus }) => {
      bus.subscribe('s', 0, () => {
        throw new Error('a broken subscriber')
      })
      const follower = await follow('s', 0)
      await publish('s', seq(1), openTurn(['a', 'b']))
      expectSame(
        seqsIn(follower.batches),
        [2, 3, 4].map((index) => seq(index)),
        'the others get everything',
      )
      bus.subscribe('s', 0, () => {
        throw new Error('broken from the start')
      })
    },
  ],
  [
    'a removed subscriber gets nothing more, also when it is removed while a batch is under way',
    async ({ follow, publish, bus, settle }) => {
      const follower = await follow('s', 0)
      const removing = bus.subscribe('s', 0, () => last.stop())
      const last = await follow('s', 0)
      await publish('s', seq(1), [textDelta(seq(2), 0, 'a')])
      expectSame(last.batches, [], 'removed by one before it')
      removing()
      follower.stop()
      follower.stop()
      await publish('s', seq(2), [textDelta(seq(3), 1, 'b')])
      await settle()
      expectSame(seqsIn(follower.batches), [seq(2)], 'nothing after its removal')
    },
  ],
  [
    'what a subscriber publishes comes after what it was told',
    async ({ follow, publish, bus }) => {
      const stop = bus.subscribe('s', 0, (batch) => {
        if (batch.head === seq(2)) bus.publish('s', { prev: seq(2), head: seq(3), events: [textDelta(seq(3), 1, 'b')] })
      })
      const follower = await follow('s', 0)
      await publish('s', seq(1), [textDelta(seq(2), 0, 'a')])
      expectSame(seqsIn(follower.batches), [seq(2), seq(3)], 'in order for the others')
      stop()
    },
  ],
  [
    'signals reach every listener with the id of their session',
    async ({ bus, settle }) => {
      const heard: string[] = []
      bus.onSignal(() => {
        throw new Error('a broken listener')
      })
      const stop = bus.onSignal((id) => heard.push(`one:${id}`))
      bus.onSignal((id) => heard.push(`two:${id}`))
      await settle()
      bus.signal("a'b/😀")
      await settle()
      expectSame(heard, ["one:a'b/😀", "two:a'b/😀"], 'both')
      stop()
      bus.signal('s')
      await settle()
      expectSame(heard.length, 3, 'only the one that stayed')
    },
  ],
  [
    'a closed bus is silent and throws nothing',
    async ({ bus, follow }) => {
      const follower = await follow('s', 0)
      bus.onSignal((id) =>
        follower.batches.push({ prev: 0, head: 0, events: [], fault: { code: id, message: '', retryable: false } }),
      )
      await bus.close()
      await bus.close()
      bus.publish('s', { prev: 0, head: seq(1), events: [] })
      bus.signal('s')
      bus.subscribe('s', 0, () => {})()
      bus.onSignal(() => {})()
      expectSame(follower.batches, [], 'nothing arrives')
    },
  ],
]
