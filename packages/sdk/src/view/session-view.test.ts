import { afterEach, expect, test, vi } from 'vitest'
import type { EventDraft } from '../protocol/events.ts'
import { initialState } from '../protocol/state.ts'
import { agentWorld } from '../testing/agent-world.ts'
import {
  answering,
  asked,
  call,
  delta,
  finish,
  reply,
  resolved,
  result,
  runId,
  said,
  streaming,
} from '../testing/drafts.ts'
import { fakeRemote, fakeSession } from '../testing/fake-session.ts'
import { microtasks } from '../testing/microtasks.ts'
import type { Schedule } from './frames.ts'
import { cellsOf } from './session-cells.ts'
import { createSessionView, type SessionView } from './session-view.ts'
import type { ViewCell } from './view-cells.ts'

/** Frames that come when the test says so. */
function manualFrames() {
  const waiting = new Set<() => void>()
  const schedule: Schedule = (publish) => {
    const entry = (): void => publish()
    waiting.add(entry)
    return () => void waiting.delete(entry)
  }
  const frame = (): void => {
    for (const publish of [...waiting]) {
      waiting.delete(publish)
      publish()
    }
  }
  return { schedule, frame, waiting }
}

function watched(view: SessionView, ...cells: ViewCell[]): string[] {
  const told: string[] = []
  for (const cell of cells) cellsOf(view).subscribe(cell, () => told.push(cell))
  return told
}

function textOf(view: SessionView): string {
  const part = cellsOf(view).getPart('m', 0)
  return part?.type === 'text' ? part.text : ''
}

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

test('a snapshot shares with the one before what did not change, and never changes itself', () => {
  const session = fakeSession(answering)
  const view = createSessionView(session)
  view.subscribe(() => {})
  session.emit(asked('q', 'c1'), said('u'))
  const before = view.getSnapshot()
  const { messages } = before
  session.emit(result('c2'))
  const after = view.getSnapshot()
  expect(after.messages[1]).toBe(messages[1])
  expect(after.messages[0]).not.toBe(messages[0])
  const shared = [
    'messageIds',
    'requests',
    'queue',
    'outbox',
    'connection',
    'tasks',
    'notices',
    'usage',
    'older',
  ] as const
  for (const key of shared) expect(after[key]).toBe(before[key])
  expect(before.messages).toBe(messages)
})

test('the list of an old snapshot that is read late is the old list', () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  view.subscribe(() => {})
  const before = view.getSnapshot()
  session.emit(reply(call('c1')), said('u'))
  expect(view.getSnapshot().messages.map(({ id }) => id)).toEqual(['m', 'u'])
  expect(before.messages.map(({ id, status }) => [id, status])).toEqual([['m', 'streaming']])
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

test('the server snapshot stays what the view was made with', () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  const first = view.getServerSnapshot()
  expect(first).toBe(view.getSnapshot())
  view.subscribe(() => {})
  session.emit(said('u'))
  expect(view.getServerSnapshot()).toBe(first)
  expect(first.messageIds).toEqual(['m'])
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

test('a local session is live; one that cannot be opened has failed, and says why', async () => {
  const view = createSessionView(fakeSession())
  expect(view.getSnapshot().connection).toEqual({ status: 'live' })

  const ready = Promise.reject(new Error('No such session'))
  const closed = createSessionView({ ...fakeSession(), state: initialState('s'), ready })
  const told = watched(closed, 'connection')
  await microtasks()
  expect(closed.getSnapshot().connection).toMatchObject({ status: 'failed', error: { message: 'No such session' } })
  expect(told).toEqual(['connection'])
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

test('a view of a session whose agent was closed keeps what it shows, and what is sent fails with its text', async () => {
  const { agent, session: open } = agentWorld(['Hello.'])
  const session = await open()
  const view = createSessionView(session)
  view.subscribe(() => {})
  await session.run('Hi').result
  await agent.close()
  const receipt = await view.send('Still there?')
  expect(receipt.error?.code).toBe('session.closed')
  const { messages, outbox } = view.getSnapshot()
  expect(messages.map(({ status }) => status)).toEqual(['committed', 'committed', 'failed'])
  expect(outbox[0]).toMatchObject({ status: 'failed', input: 'Still there?', error: { code: 'session.closed' } })
})
