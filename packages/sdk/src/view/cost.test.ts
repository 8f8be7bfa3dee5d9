import { expect, test } from 'vitest'
import type { SessionState } from '../protocol/state.ts'
import { delta, finish, reply, user } from '../testing/drafts.ts'
import { fakeSession } from '../testing/fake-session.ts'
import { folded } from '../testing/folded.ts'
import { cellsOf } from './session-cells.ts'
import { createSessionView } from './session-view.ts'
import type { ViewCell } from './view-cells.ts'

const MESSAGES = 10_000

/** A reply is being streamed behind a long history, which counts how often it is looked at. */
function longSession() {
  const drafts = Array.from({ length: MESSAGES / 500 }, (_, chunk) => ({
    type: 'history' as const,
    messages: Array.from({ length: 500 }, (_, i) => user(`u${chunk * 500 + i}`)),
  }))
  const run = { type: 'run-start', runId: 'r', trigger: 'input', inputIds: [], config: {} } as const
  const model = { provider: 'p', model: 'm', api: 'a' }
  const turn = { type: 'turn-start', runId: 'r', turn: 1, attempt: 1, messageId: 'm', purpose: 'reply', model } as const
  const state = folded([...drafts, run, turn, delta(0, 0, 'a')])
  const count = { reads: 0 }
  const history = new Proxy(state.history, {
    get(target, key, receiver) {
      count.reads++
      return Reflect.get(target, key, receiver)
    },
  })
  return { session: fakeSession({ ...state, history } satisfies SessionState), count }
}

test('a token is published without walking the history, whatever is shown, read and waiting to be sent', async () => {
  const { session, count } = longSession()
  const view = createSessionView(session, { window: MESSAGES })
  const failed = view.send('Hi')
  session.fail(new Error('offline'))
  await failed
  void view.send('Hi again')
  let told = 0
  const cells: ViewCell[] = ['list', 'part:m/0', 'message:m', 'message:u5', 'part:u5/0', 'usage', 'requests', 'tasks']
  for (const cell of cells) cellsOf(view).subscribe(cell, () => told++)
  view.subscribe(() => void cellsOf(view).getPart('m', 0))
  cellsOf(view).getMessage('u5')
  view.getSnapshot().messages

  count.reads = 0
  for (let i = 1; i <= 100; i++) session.emit(delta(0, i, 'b'))
  expect(told).toBe(100)
  expect(count.reads / 100).toBeLessThan(10)
})

test('sending, answering and stopping do not walk it either, but for what the list has to hold', () => {
  const { session, count } = longSession()
  const view = createSessionView(session, { window: 50 })
  view.subscribe(() => {})
  count.reads = 0
  void view.stop()
  void view.resolve('q', 'deny')
  expect(count.reads).toBeLessThan(20)
})

test('a message is found again without a search when the history has grown', () => {
  const { session, count } = longSession()
  const view = createSessionView(session)
  view.subscribe(() => {})
  cellsOf(view).getMessage('u5')
  session.emit(reply({ type: 'text', text: 'ab' }), finish())
  count.reads = 0
  expect(cellsOf(view).getMessage('m')?.status).toBe('committed')
  expect(cellsOf(view).getMessage('u7')?.status).toBe('committed')
  expect(count.reads).toBe(0)
})

test('nobody listens: a batch costs nothing at all', () => {
  const { session } = longSession()
  const view = createSessionView(session)
  const leave = view.subscribe(() => {})
  leave()
  session.emit(delta(0, 1, 'b'))
  expect(session.followers).toBe(0)
})
