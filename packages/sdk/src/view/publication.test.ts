import { afterEach, expect, test, vi } from 'vitest'
import type { EventDraft } from '../protocol/events.ts'
import { asked, delta, finish, reply, streaming } from '../testing/drafts.ts'
import { fakeRemote, fakeSession } from '../testing/fake-session.ts'
import { manualFrames, textOf, watched } from '../testing/watched-view.ts'
import { createSessionView } from './session-view.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('text is live at once and published with the next frame, as one publication', () => {
  const { schedule, frame } = manualFrames()
  const session = fakeSession(streaming)
  const view = createSessionView(session, { schedule })
  let published = 0
  view.subscribe(() => published++)
  const before = view.getSnapshot()

  session.emit(delta(0, 0, 'Hel'))
  session.emit(delta(0, 3, 'lo'))
  expect(view.live.pending.message?.parts).toEqual([{ type: 'text', text: 'Hello' }])
  expect([textOf(view), published]).toEqual(['', 0])
  expect(view.getSnapshot()).toBe(before)

  frame()
  expect([textOf(view), published]).toEqual(['Hello', 1])
  expect(view.getSnapshot()).not.toBe(before)
  expect(view.getSnapshot()).toBe(view.getSnapshot())
})

test.each<[string, EventDraft]>([
  ['a message', reply({ type: 'text', text: 'Hello' })],
  ['a request', asked('q', 'c')],
  ['the end of a run', finish('error')],
  ['a notice', { type: 'notice', code: 'x', text: 'x' }],
  ['an input', { type: 'input', inputId: 'i', parts: [], lane: 'steer' }],
])('%s is published at once, with the text before it, and no frame follows', (_what, draft) => {
  const { schedule, waiting } = manualFrames()
  const session = fakeSession(streaming)
  const view = createSessionView(session, { schedule })
  const seen: string[] = []
  view.subscribe(() => seen.push(textOf(view)))
  session.emit(delta(0, 0, 'Hello'))
  session.emit(draft)
  expect(seen).toHaveLength(1)
  expect(view.getSnapshot().state).toBe(session.state)
  expect(waiting.size).toBe(0)
})

test('a fault of the store is published at once', () => {
  const { schedule } = manualFrames()
  const session = fakeSession(streaming)
  const view = createSessionView(session, { schedule })
  view.subscribe(() => {})
  const fault = { code: 'store.unavailable', message: 'Gone.', retryable: true }
  const { state } = session
  session.show({ ...state, live: { ...state.live, fault } }, { prev: state.seq, head: state.seq, events: [], fault })
  expect(view.getSnapshot().fault).toBe(fault)
})

test('without frames, as on a server, everything is published at once', () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  view.subscribe(() => {})
  session.emit(delta(0, 0, 'Hi'))
  expect(textOf(view)).toBe('Hi')
})

test('in a browser, text is published with the next frame or after 100 ms, and ids cannot be guessed', async () => {
  vi.useFakeTimers()
  let frame: (() => void) | undefined
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => {
    frame = callback
    return 1
  })
  vi.stubGlobal('cancelAnimationFrame', () => {
    frame = undefined
  })
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  view.subscribe(() => {})
  session.emit(delta(0, 0, 'a'))
  expect(textOf(view)).toBe('')
  frame?.()
  expect([textOf(view), vi.getTimerCount()]).toEqual(['a', 0])
  session.emit(delta(0, 1, 'b'))
  vi.advanceTimersByTime(100)
  expect([textOf(view), frame]).toEqual(['ab', undefined])

  void view.send('one')
  void view.send('two')
  const [one = '', two] = view.getSnapshot().outbox.map(({ id }) => id)
  expect(one).toMatch(/^in_[0-9a-v]{24}$/)
  expect(one).not.toBe(two)
})

test('the connection of a remote session is published at once, with the text before it', () => {
  const { schedule } = manualFrames()
  const session = fakeRemote(streaming)
  const view = createSessionView(session, { schedule })
  const told = watched(view, 'connection')
  session.emit(delta(0, 0, 'Hi'))
  session.connect({ status: 'reconnecting', attempt: 2, retryAt: 5 })
  expect(view.getSnapshot().connection).toEqual({ status: 'reconnecting', attempt: 2, retryAt: 5 })
  expect([textOf(view), told]).toEqual(['Hi', ['connection']])
})
