import { expect, test } from 'vitest'
import type { EventDraft } from '../protocol/events.ts'
import { said, user } from '../testing/drafts.ts'
import { fakeRemote, fakeSession } from '../testing/fake-session.ts'
import { folded } from '../testing/folded.ts'
import { cellsOf } from './session-cells.ts'
import { createSessionView, type SessionView } from './session-view.ts'

const named = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `u${from + i}`)
const history = (from: number, to: number) => folded([{ type: 'history', messages: named(from, to).map(user) }])
const rewound = (toMessageId: string): EventDraft => ({ type: 'rewound', toMessageId })
const ids = (view: SessionView) => view.getSnapshot().messageIds

test('the last messages are shown, older ones on demand, until there are none', async () => {
  const view = createSessionView(fakeSession(history(0, 25)), { window: 10 })
  view.subscribe(() => {})
  let told = 0
  cellsOf(view).subscribe('older', () => told++)
  expect([ids(view), view.getSnapshot().older.more]).toEqual([named(15, 25), true])
  await view.loadBefore()
  expect([ids(view), view.getSnapshot().older.more, told]).toEqual([named(5, 25), true, 0])
  await view.loadBefore()
  expect([ids(view), view.getSnapshot().older.more, told]).toEqual([named(0, 25), false, 1])
  const before = view.getSnapshot()
  await view.loadBefore()
  expect(view.getSnapshot()).toBe(before)
})

test('a message hidden before the window can still be read', () => {
  const view = createSessionView(fakeSession(history(0, 25)), { window: 10 })
  expect(cellsOf(view).getMessage('u3')?.status).toBe('committed')
  expect(cellsOf(view).getPart('u3', 0)).toEqual({ type: 'text', text: 'Hi' })
  expect(cellsOf(view).getMessage('u99')).toBeUndefined()
})

test('new messages push none out at the front, so nothing that is being read moves', () => {
  const session = fakeSession(history(0, 12))
  const view = createSessionView(session, { window: 10 })
  view.subscribe(() => {})
  session.emit(said('u12'), said('u13'))
  expect(ids(view)).toEqual(named(2, 14))
})

test('a rewind within the window keeps its beginning; one to before it shows the last messages of what is left', () => {
  const session = fakeSession(history(0, 25))
  const view = createSessionView(session, { window: 10 })
  view.subscribe(() => {})
  session.emit(rewound('u17'))
  expect(ids(view)).toEqual(named(15, 18))
  session.emit(rewound('u12'))
  expect(ids(view)).toEqual(named(3, 13))
  session.emit({ type: 'rewound' })
  expect([ids(view), cellsOf(view).getMessage('u3'), cellsOf(view).getPart('u3', 0)]).toEqual([
    [],
    undefined,
    undefined,
  ])
  session.emit(said('again'))
  expect(ids(view)).toEqual(['again'])
  expect(cellsOf(view).getMessage('again')?.status).toBe('committed')
})

test('of a remote session, older messages are fetched and put before the others', async () => {
  const session = fakeRemote(history(30, 40), named(0, 30).map(user))
  const view = createSessionView(session, { window: 20 })
  view.subscribe(() => {})
  cellsOf(view).getMessage('u35')
  const loading = [view.loadBefore(), view.loadBefore()]
  expect(view.getSnapshot().older).toEqual({ more: true, isLoading: true })
  await Promise.all(loading)
  expect(ids(view)).toEqual(named(10, 40))
  expect(view.getSnapshot().older).toEqual({ more: true, isLoading: false })
  await view.loadBefore()
  expect([ids(view), view.getSnapshot().older.more]).toEqual([named(0, 40), false])
  expect([cellsOf(view).getMessage('u5')?.id, cellsOf(view).getMessage('u35')?.id]).toEqual(['u5', 'u35'])
})

test('older messages that cannot be loaded leave an error, and can be asked for again', async () => {
  const session = fakeRemote(history(30, 40), named(0, 30).map(user))
  const { loadBefore } = session
  session.loadBefore = () => Promise.reject(new Error('offline'))
  const view = createSessionView(session, { window: 10 })
  await view.loadBefore()
  expect(view.getSnapshot().older).toMatchObject({ more: true, isLoading: false, error: { message: 'offline' } })
  expect(ids(view)).toEqual(named(30, 40))
  session.loadBefore = loadBefore
  await view.loadBefore()
  expect(view.getSnapshot().older).toEqual({ more: true, isLoading: false })
  expect(ids(view)).toEqual(named(20, 40))
})
