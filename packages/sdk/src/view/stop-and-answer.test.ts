import { expect, test } from 'vitest'
import { answering, asked, finish, resolved, runId, streaming } from '../testing/drafts.ts'
import { fakeSession } from '../testing/fake-session.ts'
import { watched } from '../testing/watched-view.ts'
import { cellsOf } from './session-cells.ts'
import { createSessionView } from './session-view.ts'

test('stop shows at once, and is taken back when it was refused', async () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  const told = watched(view, 'run')
  expect([view.getSnapshot().status, view.getSnapshot().canStop]).toEqual(['running', true])

  const late = view.stop()
  expect([view.getSnapshot().status, view.getSnapshot().canStop]).toEqual(['stopping', false])
  const error = { code: 'session.run-not-open', message: 'Late.', retryable: false }
  session.answer({ status: 'refused', error })
  expect(await late).toMatchObject({ status: 'refused', error })
  expect(view.getSnapshot().status).toBe('running')

  const broken = view.stop()
  session.fail(new Error('offline'))
  expect(await broken).toMatchObject({ status: 'refused', error: { message: 'offline' } })
  expect([view.getSnapshot().status, told.length]).toEqual(['running', 4])

  const stopped = view.stop()
  session.answer({ status: 'done', returned: [] })
  expect(await stopped).toMatchObject({ status: 'done', returned: [] })
  session.emit({ type: 'abort', runId })
  expect(told).toHaveLength(6)
  session.emit(finish('error'))
  expect([view.getSnapshot().status, view.getSnapshot().lastFinish?.reason]).toEqual(['idle', 'error'])
  expect(session.asked.map(({ args }) => args)).toEqual([[runId], [runId], [runId]])
})

test('an answer shows on its own request: on its way, refused, and gone with the request', async () => {
  const session = fakeSession(answering)
  const view = createSessionView(session)
  session.emit(asked('q1', 'c1'), asked('q2', 'c2'))
  const told = watched(view, 'requests', 'request:q1', 'request:q2')
  const other = cellsOf(view).getRequest('q2')

  const wrong = view.resolve('q1', 'approve')
  expect(cellsOf(view).getRequest('q1')).toMatchObject({ status: 'answering', request: { id: 'q1' } })
  const error = { code: 'request.invalid-answer', message: 'No.', retryable: false }
  session.answer({ status: 'refused', error })
  await wrong
  expect(cellsOf(view).getRequest('q1')).toMatchObject({ status: 'open', error })
  expect(cellsOf(view).getRequest('q2')).toBe(other)
  expect(told).toEqual(['requests', 'request:q1', 'requests', 'request:q1'])

  const right = view.resolve('q1', 'allow-once')
  expect(cellsOf(view).getRequest('q1')?.error).toBeUndefined()
  session.answer({ status: 'done' })
  await right
  expect(cellsOf(view).getRequest('q1')?.status).toBe('answering')
  session.emit(resolved('q1'))
  expect(cellsOf(view).getRequest('q1')).toBeUndefined()
  expect(view.getSnapshot().requests.map(({ request }) => request.id)).toEqual(['q2'])

  const late = view.resolve('q1', 'deny')
  session.fail(new Error('offline'))
  expect((await late).status).toBe('refused')
  expect(view.getSnapshot().requests).toHaveLength(1)
})
