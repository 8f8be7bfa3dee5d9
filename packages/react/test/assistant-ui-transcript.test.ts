import { fromThreadMessageLike } from '@assistant-ui/react'
import { createSessionView, type SessionView, syncSchedule } from '@stepwell/sdk/view'
import { describe, expect, it } from 'vitest'
import { agentWorld } from '../../sdk/src/testing/agent-world.ts'
import { fakeSession } from '../../sdk/src/testing/fake-session.ts'
import { chances, randomStep } from '../../sdk/src/testing/random-steps.ts'
import { messageConverter } from '../src/assistant-ui/convert-message.ts'
import { type Entry, isReply, Transcript } from '../src/assistant-ui/transcript.ts'

function viewed() {
  const session = fakeSession()
  const view = createSessionView(session, { schedule: syncSchedule })
  view.subscribe(() => {})
  return { session, view }
}

function idOf(entry: Entry): string {
  return entry.id
}

/** As assistant-ui converts: nothing may throw. */
function converter(): (entry: Entry) => unknown {
  const convert = messageConverter(({ sha256 }) => `https://blobs.test/${sha256}`)
  return (entry) => fromThreadMessageLike(convert(entry), 'none', { type: 'running' })
}

const SESSIONS = 25
const STEPS = 40

describe('the transcript', () => {
  it('is at any time what one made anew from the snapshot is, whatever happened before', () => {
    for (let seed = 0; seed < SESSIONS; seed++) {
      const choose = chances(Math.imul(seed + 1, 0x9e3779b1))
      let minted = 0
      const { session, view } = viewed()
      const transcript = new Transcript()
      const convert = converter()
      for (let step = 0; step < STEPS; step++) {
        const before = transcript.entries(view.getSnapshot())
        session.emit(...randomStep(session.state, choose, (prefix) => `${prefix}-${++minted}`))
        const snapshot = view.getSnapshot()
        const entries = transcript.entries(snapshot)
        expect(entries).toEqual(new Transcript().entries(snapshot))
        expect(new Set(entries.map(idOf)).size).toBe(entries.length)
        expect(entries.map(convert)).toEqual(entries.map(converter()))
        expect(withoutReason(entries, before)).toEqual([])
      }
    }
  })

  it('converts nothing but the reply that is being written', async () => {
    const words = Array.from({ length: 200 }, (_, i) => `word${i}`).join(' ')
    const { agent } = agentWorld([...Array.from({ length: 30 }, () => 'Yes.'), words])
    const view = createSessionView(await agent.session('s'), { schedule: syncSchedule })
    for (let i = 0; i < 30; i++) await view.run('And?').result
    const transcript = new Transcript()
    const seen = new WeakSet<Entry>(transcript.entries(view.getSnapshot()))
    let publications = 0
    const converted: Entry[] = []
    view.subscribe(() => {
      publications++
      for (const entry of transcript.entries(view.getSnapshot())) {
        if (!seen.has(entry)) converted.push(entry)
        seen.add(entry)
      }
    })
    await view.run('Tell me.').result
    const sent = ownEntries(view)
    expect(publications).toBeGreaterThan(100)
    expect(new Set(converted.map(idOf))).toEqual(new Set(sent.map(idOf)))
    expect(converted.length).toBeLessThanOrEqual(publications + 3)
    expect(converted.filter((entry) => !isReply(entry)).length).toBeLessThanOrEqual(3)
  })
})

/** The entries of the last run. */
function ownEntries(view: SessionView): readonly Entry[] {
  return new Transcript().entries(view.getSnapshot()).slice(-2)
}

/** Those that say the same as before and are other objects: all but the last reply, which shows what is open. */
function withoutReason(entries: readonly Entry[], before: readonly Entry[]): readonly Entry[] {
  const last = entries.findLast(isReply)
  return entries.filter((entry) => {
    const known = before.find(({ id }) => id === entry.id)
    return entry !== last && known !== undefined && known !== entry && JSON.stringify(known) === JSON.stringify(entry)
  })
}
