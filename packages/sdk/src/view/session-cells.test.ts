import { expect, test } from 'vitest'
import { answering, asked, delta, reply, result, said, streaming } from '../testing/drafts.ts'
import { fakeSession } from '../testing/fake-session.ts'
import { textOf, watched } from '../testing/watched-view.ts'
import { cellsOf } from './session-cells.ts'
import { createSessionView } from './session-view.ts'

test('a token wakes the one part that shows it, a result its call and part, and neither the list', () => {
  const session = fakeSession(answering)
  const view = createSessionView(session)
  const told = watched(view, 'list', 'message:m', 'part:m/0', 'part:m/1', 'call:c1', 'call:c2', 'run', 'usage', 'tasks')
  session.emit(result('c2'))
  expect(told.sort()).toEqual(['call:c2', 'part:m/1'])
  expect(cellsOf(view).getCall('c2')?.part?.result?.output).toBe('done')

  const writing = fakeSession(streaming)
  const other = createSessionView(writing)
  writing.emit(delta(0, 0, 'a'), delta(1, 0, 'b'))
  const toldOther = watched(other, 'list', 'message:m', 'part:m/0', 'part:m/1', 'run', 'usage', 'requests')
  writing.emit(delta(1, 1, 'c'))
  expect(toldOther).toEqual(['part:m/1'])
})

test('a reply keeps its id and its place when it is committed, and the list is not told', () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  session.emit(delta(0, 0, 'Hi'))
  const told = watched(view, 'list', 'message:m')
  const { messageIds } = view.getSnapshot()
  expect(cellsOf(view).getMessage('m')?.status).toBe('streaming')
  session.emit(reply({ type: 'text', text: 'Hi' }))
  expect(told).toEqual(['message:m'])
  expect(view.getSnapshot().messageIds).toBe(messageIds)
  expect(cellsOf(view).getMessage('m')).toMatchObject({
    role: 'assistant',
    status: 'committed',
    parts: [{ type: 'text' }],
  })
})

test('what a message is made of stays the same while its text grows', () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  view.subscribe(() => {})
  session.emit(delta(0, 0, 'a'))
  const outline = cellsOf(view).getMessage('m')
  session.emit(delta(0, 1, 'b'))
  expect(cellsOf(view).getMessage('m')).toBe(outline)
  expect(textOf(view)).toBe('ab')
})

test('the cells of the server snapshot stay what the view was made with', () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  const cells = cellsOf(view)
  cells.subscribe('list', () => {})
  session.emit(delta(0, 0, 'Hi'))
  session.emit(reply({ type: 'text', text: 'Hi' }), asked('q', 'c'))
  expect(cellsOf(view)).toBe(cells)
  expect([cells.getMessage('m')?.status, cells.server.getMessage('m')?.status]).toEqual(['committed', 'streaming'])
  expect([cells.getPart('m', 0), cells.server.getPart('m', 0)]).toEqual([{ type: 'text', text: 'Hi' }, undefined])
  expect([cells.getRequest('q')?.status, cells.server.getRequest('q')]).toEqual(['open', undefined])
  expect(cells.server.getMessage('m')).toBe(cells.server.getMessage('m'))
})

test('cells are told again after the view was destroyed, but only to who came later', () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  const told: string[] = []
  const leave = cellsOf(view).subscribe('list', () => told.push('before'))
  view.destroy()
  cellsOf(view).subscribe('list', () => told.push('after'))
  session.emit(said('u'))
  leave()
  session.emit(said('v'))
  expect(told).toEqual(['after', 'after'])
  expect(session.followers).toBe(1)
})

test('a cell that is read while others are told is told of nothing twice', () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  const cells = cellsOf(view)
  const told: string[] = []
  view.subscribe(() => told.push(textOf(view)))
  cells.subscribe('part:m/0', () => told.push('part'))
  session.emit(delta(0, 0, 'Hi'))
  session.emit(said('u'))
  expect(told).toEqual(['Hi', 'part', 'Hi'])
})
