import { describe, expect, test } from 'vitest'
import {
  answering,
  created,
  delta,
  finish,
  input,
  runStart,
  said,
  streaming,
  turnStart,
  user,
} from '../testing/drafts.ts'
import { folded, sequenced } from '../testing/folded.ts'
import type { AgentEvent, EventDraft } from './events.ts'
import type { NoteMessage } from './messages.ts'
import { reduce } from './reduce.ts'
import type { SessionState } from './state.ts'

const lanes = ({
  pending: {
    lanes: { steer, queue },
  },
}: SessionState) => [steer, queue].map((lane) => lane.map(({ id }) => id))

describe('order', () => {
  test('what was seen already gives the same state back', () => {
    expect(reduce(streaming, sequenced([created, runStart, turnStart()]))).toBe(streaming)
    expect(reduce(streaming, [])).toBe(streaming)
  })

  test('a batch that repeats itself is applied once', () => {
    const [first, second] = sequenced([delta(0, 0, 'He'), delta(0, 2, 'y')], streaming.seq) as [AgentEvent, AgentEvent]
    const once = reduce(streaming, [first, second])
    expect(reduce(streaming, [first, second, first])).toEqual(once)
    expect(reduce(streaming, [first, second, first, second, second])).toEqual(once)
  })

  test('seq follows the last event, and gaps are normal', () => {
    const [event] = sequenced([finish()], 2 ** 33) as [AgentEvent]
    expect(reduce(streaming, [event]).seq).toBe(2 ** 33 + 1)
  })

  test('a type or a field it does not know is passed over', () => {
    const later = { type: 'telepathy', seq: 9, at: 9, thought: 'hm' } as unknown as AgentEvent
    expect(reduce(streaming, [later])).toEqual({ ...streaming, seq: 9 })
    const extended = Object.assign(delta(0, 0, 'Hi'), { mood: 'good' })
    expect(folded([extended], streaming).pending.message?.parts).toEqual([{ type: 'text', text: 'Hi' }])
  })
})

describe('the session', () => {
  test('session-created and session-updated make the row; null removes', () => {
    const updated = folded(
      [{ type: 'session-updated', title: null, profile: 'fast', archived: true }],
      folded([created]),
    )
    expect(updated.row).toEqual({ v: 1, createdAt: 1, principal: 'ann', profile: 'fast', archived: true })
  })

  test('history brings messages with their results', () => {
    const messages = [user('u1'), user('u2')]
    expect(folded([{ type: 'history', messages }]).history).toEqual(messages)
  })

  test('rewound drops what came after; without a message everything', () => {
    const three = folded([said('a'), said('b'), said('c')])
    const ids = (state: SessionState) => state.history.map(({ id }) => id)
    expect(ids(folded([{ type: 'rewound', toMessageId: 'b' }], three))).toEqual(['a', 'b'])
    expect(ids(folded([{ type: 'rewound' }], three))).toEqual([])
    expect(folded([{ type: 'rewound', toMessageId: 'c' }], three).history).toBe(three.history)
  })

  test('a compaction adds its note and leaves the history whole', () => {
    const note: NoteMessage = { role: 'note', id: 'n', at: 1, kind: 'summary', text: 'So far.', toModel: true }
    const before = folded([said('a')])
    const sizes = { trigger: 'threshold', method: 'summary', before: 9, after: 2 } as const
    expect(folded([{ type: 'compaction', ...sizes, note }], before).history).toEqual([...before.history, note])
  })

  test('the last hundred notices are kept', () => {
    const notices = Array.from({ length: 130 }, (_, i): EventDraft => ({ type: 'notice', code: `n${i}`, text: '' }))
    const kept = folded(notices).notices
    expect([kept.length, kept[0]?.code, kept.at(-1)?.code]).toEqual([100, 'n30', 'n129'])
  })

  test('a stored task replaces the progress shown before it', () => {
    const task = { id: 't', kind: 'job', state: 'running' } as const
    const shown = folded([{ type: 'task', task: { ...task, progress: { bytes: 5 } }, live: true }])
    expect([shown.tasks, shown.live.tasks.t?.progress]).toEqual([{}, { bytes: 5 }])
    const done = folded([{ type: 'task', task: { ...task, state: 'done' } }], shown)
    expect([done.tasks.t?.state, done.live.tasks]).toEqual(['done', {}])
  })
})

describe('lanes', () => {
  const waiting = folded([
    runStart,
    input('a', 'steer'),
    input('b', 'queue'),
    input('c', 'queue'),
    input('now', 'start'),
  ])

  test('inputs wait in their lane, in order; what starts a run does not wait', () => {
    expect(lanes(waiting)).toEqual([['a'], ['b', 'c']])
  })

  test('a message takes its input out', () => {
    expect(lanes(folded([said('b')], waiting))).toEqual([['a'], ['c']])
  })

  test('an input can be edited in place, moved to the end of the other lane, or handed back', () => {
    const edited = folded([{ type: 'input-changed', inputId: 'b', parts: [{ type: 'text', text: 'Yo' }] }], waiting)
    expect([lanes(edited), edited.pending.lanes.queue[0]?.parts]).toEqual([
      [['a'], ['b', 'c']],
      [{ type: 'text', text: 'Yo' }],
    ])
    expect(lanes(folded([{ type: 'input-changed', inputId: 'b', lane: 'steer' }], waiting))).toEqual([
      ['a', 'b'],
      ['c'],
    ])
    expect(lanes(folded([{ type: 'input-returned', inputId: 'a', reason: 'removed' }], waiting))).toEqual([
      [],
      ['b', 'c'],
    ])
  })

  test('an input nobody knows changes nothing', () => {
    const unknown = folded(
      [
        { type: 'input-changed', inputId: 'x' },
        { type: 'input-returned', inputId: 'x', reason: 'removed' },
      ],
      waiting,
    )
    expect(unknown.pending).toBe(waiting.pending)
  })

  test('left-over steers go to the head of the queue, which pauses unless the run stopped by itself', () => {
    const failed = folded([finish('error')], waiting)
    expect([lanes(failed), failed.pending.lanes.paused]).toEqual([[[], ['a', 'b', 'c']], true])
    expect(failed.pending.lanes.queue[0]?.lane).toBe('queue')
    expect(folded([finish('stop')], waiting).pending.lanes.paused).toBe(false)
    expect(folded([runStart], failed).pending.lanes.paused).toBe(false)
  })
})

describe('the reply', () => {
  const content = (drafts: EventDraft[], state = streaming) => folded(drafts, state).pending.message?.parts

  test('deltas open parts and grow them', () => {
    expect(
      content([delta(0, 0, 'He'), delta(0, 2, 'llo'), { ...delta(1, 0, 'Hm'), type: 'reasoning-delta' } as EventDraft]),
    ).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'reasoning', text: 'Hm' },
    ])
  })

  test('an overlap adds only what is new; a gap, and a part too far, add nothing', () => {
    const hello = [delta(0, 0, 'Hello')]
    expect(content([...hello, delta(0, 3, 'lo!')])).toEqual([{ type: 'text', text: 'Hello!' }])
    expect(content([...hello, delta(0, 2, 'll')])).toEqual([{ type: 'text', text: 'Hello' }])
    expect(content([...hello, delta(0, 9, '!')])).toEqual([{ type: 'text', text: 'Hello' }])
    expect(content([...hello, delta(2, 0, '!')])).toEqual([{ type: 'text', text: 'Hello' }])
    expect(content([delta(0, 1, '!')])).toEqual([])
  })

  test('a delta of another kind than its part adds nothing', () => {
    const stray: EventDraft = { type: 'tool-input-delta', part: 0, from: 5, text: '{}', callId: 'c' }
    expect(content([delta(0, 0, 'Hello'), stray])).toEqual([{ type: 'text', text: 'Hello' }])
  })

  test('a call takes its name from the first delta that knows it', () => {
    const part = { type: 'tool-input-delta', part: 0, callId: 'c' } as const
    const opened: EventDraft = { ...part, from: 0, text: '{"q"', executed: 'provider' }
    const named: EventDraft = { ...part, from: 4, text: ':1}', toolName: 'read' }
    const renamed: EventDraft = { ...part, from: 7, text: '', toolName: 'write' }
    expect(content([opened])).toEqual([
      { type: 'tool-call', callId: 'c', toolName: '', inputText: '{"q"', state: 'streaming', executed: 'provider' },
    ])
    expect(content([opened, named, renamed])).toMatchObject([{ toolName: 'read', inputText: '{"q":1}' }])
  })

  test('a higher attempt empties it and keeps its id', () => {
    const retried = folded([delta(0, 0, 'Hel'), turnStart(2)], streaming)
    expect(retried.pending.message).toMatchObject({ id: 'm', parts: [] })
    expect(retried.run).toMatchObject({ turn: 1, attempt: 2 })
  })

  test('a compaction has no reply, and a delta without a reply adds nothing', () => {
    const compacting = folded([runStart, turnStart(1, { purpose: 'compaction' }), delta(0, 0, 'x')])
    expect(compacting.pending.message).toBeUndefined()
    expect(compacting.run?.openCall).toEqual({ model: 'm', compaction: true })
  })

  test('a message commits it', () => {
    expect(answering.pending.message).toBeUndefined()
    expect(answering.history.map(({ id }) => id)).toEqual(['m'])
    expect(folded([said('u')], streaming).pending.message).toBe(streaming.pending.message)
  })
})
