import { afterEach, expect, test, vi } from 'vitest'
import { delta, said, streaming } from '../testing/drafts.ts'
import { fakeSession } from '../testing/fake-session.ts'
import { manualFrames, textOf } from '../testing/watched-view.ts'
import { cellsOf } from './session-cells.ts'
import { createSessionView } from './session-view.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

test('the session is followed only while somebody listens, and a late listener sees what it missed', () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  expect(session.followers).toBe(0)
  const leave = [view.subscribe(() => {}), cellsOf(view).subscribe('list', () => {})]
  expect(session.followers).toBe(1)
  for (const off of leave) off()
  for (const off of leave) off()
  expect(session.followers).toBe(0)

  session.emit(delta(0, 0, 'missed'))
  expect(textOf(view)).toBe('missed')
  session.emit(delta(0, 6, ' that'))
  let told = 0
  view.subscribe(() => told++)
  expect([textOf(view), told]).toEqual(['missed that', 0])
})

test('the same function may listen twice, and leaves once for each', () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  let told = 0
  const listener = (): void => void told++
  const leave = view.subscribe(listener)
  view.subscribe(listener)
  leave()
  leave()
  session.emit(said('u'))
  expect(told).toBe(1)
})

test('a listener that throws harms no other, and its error is reported', () => {
  const report = vi.fn()
  vi.stubGlobal('reportError', report)
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  const told: string[] = []
  cellsOf(view).subscribe('list', () => {
    throw new Error('mine')
  })
  cellsOf(view).subscribe('list', () => told.push('cell'))
  view.subscribe(() => told.push('any'))
  session.emit(said('u'))
  expect(told).toEqual(['cell', 'any'])
  expect(report).toHaveBeenCalledExactlyOnceWith(new Error('mine'))
})

test('where errors cannot be reported, one is thrown on its own', () => {
  const later: (() => void)[] = []
  vi.stubGlobal('reportError', undefined)
  vi.stubGlobal('queueMicrotask', (callback: () => void) => later.push(callback))
  const session = fakeSession(streaming)
  createSessionView(session).subscribe(() => {
    throw new Error('mine')
  })
  session.emit(said('u'))
  expect(later).toHaveLength(1)
  expect(later[0]).toThrow('mine')
})

test('a listener may leave, subscribe and send while it is told', () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  const told: string[] = []
  let leave = (): void => {}
  view.subscribe(() => {
    told.push('first')
    leave()
    if (view.getSnapshot().outbox.length === 0) void view.send('And?')
  })
  leave = view.subscribe(() => told.push('second'))
  session.emit(said('u'))
  expect(told).toEqual(['first', 'first'])
  expect(view.getSnapshot().outbox).toHaveLength(1)
})

test('destroy removes every listener, timer and subscription; whoever subscribes later begins anew', () => {
  const { schedule, frame, waiting } = manualFrames()
  const session = fakeSession(streaming)
  const view = createSessionView(session, { schedule })
  let told = 0
  const leave = view.subscribe(() => told++)
  cellsOf(view).subscribe('part:m/0', () => told++)
  session.emit(delta(0, 0, 'a'))
  view.destroy()
  expect([session.followers, waiting.size]).toEqual([0, 0])
  frame()
  session.emit(said('u'))
  leave()
  expect(told).toBe(0)

  view.subscribe(() => told++)
  expect(view.getSnapshot().state).toBe(session.state)
  session.emit(said('v'))
  expect(told).toBe(1)
})

test('a view that was destroyed while it sends does not follow the session again', async () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  const sent = view.send('Hi')
  expect(session.followers).toBe(1)
  view.destroy()
  session.answer({ status: 'accepted' })
  await sent
  expect(session.followers).toBe(0)
})

test('a view that sends after it was destroyed follows the session until the input is there', async () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  view.destroy()
  const sent = view.send('Hi')
  expect(session.followers).toBe(1)
  session.answer({ status: 'steered', seq: session.state.seq + 1 })
  await sent
  expect(view.getSnapshot().outbox).toHaveLength(1)
  session.emit(said('u'))
  expect([view.getSnapshot().outbox, session.followers]).toEqual([[], 0])
})
