import { describe, expect, test } from 'vitest'
import { answering, finish, result, runId, turnStart } from '../testing/drafts.ts'
import { folded } from '../testing/folded.ts'
import { initialState } from './state.ts'

describe('live', () => {
  const shown = folded(
    [
      { type: 'tool-call', runId, callId: 'c1', toolName: 'read', input: { q: 1 } },
      { type: 'tool-start', runId, callId: 'c1', toolName: 'read', effect: 'read' },
      { type: 'tool-output', runId, callId: 'c1', text: 'one\n' },
      { type: 'tool-output', runId, callId: 'c1', text: 'two', progress: { done: 1 } },
      { type: 'activity', runId, activity: { kind: 'probing' } },
    ],
    answering,
  )

  test('shows calls while they run, with what they printed', () => {
    expect(shown.live).toEqual({
      calls: { c1: { toolName: 'read', input: { q: 1 }, running: true, output: 'one\ntwo', progress: { done: 1 } } },
      tasks: {},
      activity: { kind: 'probing' },
    })
  })

  test('keeps the tail of a long output', () => {
    const long = folded([{ type: 'tool-output', runId, callId: 'c1', text: `${'x'.repeat(30_000)}end` }], shown)
    expect(long.live.calls.c1?.output).toHaveLength(20_000)
    expect(long.live.calls.c1?.output.endsWith('end')).toBe(true)
  })

  test('output of a call nobody announced is passed over', () => {
    expect(folded([{ type: 'tool-output', runId, callId: 'x', text: 'one' }], shown).live).toBe(shown.live)
  })

  test('a result, an attempt that was thrown away, the end of the activity and finish clear it', () => {
    expect(folded([result('c1')], shown).live.calls).toEqual({})
    expect(folded([turnStart(2)], shown).live.calls).toEqual({})
    expect(folded([{ type: 'activity', runId }], shown).live).not.toHaveProperty('activity')
    expect(folded([finish()], shown).live).toEqual(initialState('s').live)
  })
})
