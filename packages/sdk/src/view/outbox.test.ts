import { expect, test } from 'vitest'
import { SessionError } from '../protocol/errors.ts'
import type { AgentSession } from '../protocol/session.ts'
import { agentWorld } from '../testing/agent-world.ts'
import { finish, input, said, streaming, user } from '../testing/drafts.ts'
import { fakeSession } from '../testing/fake-session.ts'
import { folded } from '../testing/folded.ts'
import { microtasks } from '../testing/microtasks.ts'
import { cellsOf } from './session-cells.ts'
import { createSessionView, type SessionView } from './session-view.ts'

function counted() {
  let minted = 0
  return (prefix: string) => `${prefix}-${++minted}`
}

const shown = (view: SessionView) => view.getSnapshot().messages.map(({ id, status }) => `${id} ${status}`)

/** A session of an agent, and what a view of it showed, publication by publication. */
async function chat(replies: string[]) {
  const { session: open } = agentWorld(replies)
  const session = await open()
  const view = createSessionView(session, { ids: counted(), now: () => 7 })
  const lists: string[] = []
  view.subscribe(() => lists.push(shown(view).join(', ')))
  return { session, view, lists }
}

test('what is sent is in the list at once, and keeps its id and place when it is committed', async () => {
  const { view, lists } = await chat(['Hello.'])
  let listTold = 0
  const told: unknown[] = []
  cellsOf(view).subscribe('list', () => listTold++)
  cellsOf(view).subscribe('message:in-1', () => {
    told.push([cellsOf(view).getMessage('in-1')?.status, listTold])
  })
  const sent = view.send('Hi')
  expect(shown(view)).toEqual(['in-1 sending'])
  expect(cellsOf(view).getMessage('in-1')).toMatchObject({
    role: 'user',
    at: 7,
    status: 'sending',
    parts: [{ type: 'text' }],
  })
  expect(cellsOf(view).getPart('in-1', 0)).toEqual({ type: 'text', text: 'Hi' })

  expect(await sent).toMatchObject({ status: 'started', inputId: 'in-1' })
  expect(cellsOf(view).getMessage('in-1')?.status).toBe('committed')
  expect(told).toEqual([
    ['sending', 1],
    ['committed', 1],
  ])
  expect(view.getSnapshot().outbox).toEqual([])
  expect(new Set(lists.map((list) => list.split(', ')[0]))).toEqual(new Set(['in-1 sending', 'in-1 committed']))
})

test('at no moment is a message shown twice, or not at all', async () => {
  const { session, view, lists } = await chat(['One.', 'Two.'])
  await view.run('first').result
  const { runId = '' } = await view.send('second')
  await session.follow(runId).result
  for (const list of lists) {
    expect(list.match(/in-1/g)).toHaveLength(1)
    expect(list.match(/in-2/g)?.length ?? 0).toBeLessThanOrEqual(1)
  }
  const second = lists.findIndex((list) => list.includes('in-2'))
  for (const list of lists.slice(second)) expect(list).toContain('in-2')
})

test('an input that waits behind an open run leaves the outbox for the queue', async () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session, { ids: counted() })
  const queued = view.queue('Later')
  const steered = view.steer('Now')
  expect(shown(view)).toEqual(['m streaming', 'in-1 sending', 'in-2 sending'])
  expect(session.asked.map(({ args }) => args)).toEqual([
    ['Later', { mode: 'queue', commandId: 'in-1' }],
    ['Now', { mode: 'steer', commandId: 'in-2' }],
  ])
  session.emit(input('in-1', 'queue'), input('in-2', 'steer'))
  session.answer({ status: 'queued', seq: 4 })
  session.answer({ status: 'steered', seq: 5 })
  expect([(await queued).status, (await steered).status]).toEqual(['queued', 'steered'])
  const { outbox, queue } = view.getSnapshot()
  expect([outbox, queue.queue.map(({ id }) => id), queue.steer.map(({ id }) => id)]).toEqual([[], ['in-1'], ['in-2']])
})

test('the receipt may come before the events: the entry is sent, and stays until they are there', async () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session, { ids: counted() })
  const sent = view.send('Hi')
  session.answer({ status: 'steered', seq: 6 })
  await sent
  expect(shown(view)).toEqual(['m streaming', 'in-1 sent'])
  session.emit(said('u'), input('in-1', 'steer'))
  expect(shown(view)).toEqual(['u committed', 'm streaming'])
  expect(session.followers).toBe(0)
})

test.each(['started', 'steered', 'queued'] as const)(
  'so it does where the receipt does not say how far the state has to be: %s',
  async (status) => {
    const session = fakeSession(streaming)
    const view = createSessionView(session, { ids: counted() })
    const sent = view.send('Hi')
    session.answer({ status })
    await sent
    expect(shown(view)).toEqual(['m streaming', 'in-1 sent'])
    session.emit(input('in-1', 'steer'))
    expect(view.getSnapshot().outbox).toEqual([])
    expect(session.followers).toBe(0)
  },
)

test('an input that came and went while its events were missed leaves the outbox once the state is past it', async () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session, { ids: counted() })
  const sent = view.send('Hi')
  session.answer({ status: 'steered', seq: 20 })
  await sent
  const { state } = session
  session.show({ ...state, seq: 19 }, { prev: 19, head: 19, events: [] })
  expect(view.getSnapshot().outbox).toHaveLength(1)
  session.show({ ...state, seq: 20 }, { prev: 20, head: 20, events: [] })
  expect(view.getSnapshot().outbox).toEqual([])
})

test.each([
  [
    'taken and returned in one batch',
    [input('in-1', 'steer'), { type: 'input-returned', inputId: 'in-1', reason: 'aborted' }],
  ],
  ['taken into the history', [said('in-1')]],
  ['waiting in a lane', [input('in-1', 'queue')]],
] as const)('an accepted input leaves the outbox when it was seen: %s', async (_how, drafts) => {
  const session = fakeSession(streaming)
  const view = createSessionView(session, { ids: counted() })
  const sent = view.send('Hi')
  session.answer({ status: 'accepted' })
  await sent
  expect(view.getSnapshot().outbox).toMatchObject([{ id: 'in-1', status: 'sent' }])
  session.emit(...drafts)
  expect(view.getSnapshot().outbox).toEqual([])
})

test('a failed input keeps its text and attachments, and goes back to a composer', async () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session, { ids: counted() })
  const bytes = new Uint8Array([1, 2])
  const given = [
    { type: 'text', text: 'Look' },
    { type: 'image', mediaType: 'image/png', bytes },
  ] as const
  const sent = view.send(given, { by: 'ann' })
  session.fail(new SessionError('session.closed', 'Closed.'))
  expect(await sent).toMatchObject({ commandId: 'in-1', status: 'refused', error: { code: 'session.closed' } })
  expect(cellsOf(view).getMessage('in-1')).toMatchObject({
    status: 'failed',
    by: 'ann',
    error: { code: 'session.closed' },
  })
  expect(cellsOf(view).getPart('in-1', 1)).toMatchObject({ type: 'image', bytes })
  expect(session.followers).toBe(0)

  expect(view.discard('in-2')).toBeUndefined()
  expect(view.discard('in-1')?.input).toBe(given)
  expect(shown(view)).toEqual(['m streaming'])
  expect(view.discard('in-1')).toBeUndefined()
})

test('what is still on its way cannot be discarded or retried', async () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session, { ids: counted() })
  void view.send('Hi')
  expect(view.discard('in-1')).toBeUndefined()
  expect(await view.retry('in-1')).toMatchObject({ status: 'refused', error: { code: 'input.unknown' } })
  expect(session.asked).toHaveLength(1)
})

test('a retry has the same command id, and is shown as sending again in its place', async () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session, { ids: counted() })
  void view.send('one', { mode: 'queue', supersede: true })
  void view.send('two')
  session.fail(new Error('offline'))
  await microtasks()
  expect(shown(view)).toEqual(['m streaming', 'in-1 failed', 'in-2 sending'])

  const again = view.retry('in-1')
  expect(shown(view)).toEqual(['m streaming', 'in-1 sending', 'in-2 sending'])
  expect(cellsOf(view).getMessage('in-1')?.error).toBeUndefined()
  expect(session.asked.at(-1)?.args).toEqual(session.asked[0]?.args)
  session.emit(input('in-2', 'steer'))
  session.answer({ status: 'steered' })
  session.answer({ status: 'queued' })
  expect((await again).status).toBe('queued')
})

test('a failed input that arrived after all leaves the outbox, also when nobody listened meanwhile', async () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session, { ids: counted() })
  const sent = view.send('Hi')
  session.fail(new Error('timeout'))
  await sent
  expect(session.followers).toBe(0)
  session.emit(input('in-1', 'steer'), said('in-1'))
  session.emit(said('u'))
  expect(shown(view)).toEqual(['in-1 committed', 'u committed', 'm streaming'])
})

test('an input that was refused is tried again as a new one: the old id would be refused for ever', async () => {
  const { session, view } = await chat(['One.', 'Two.'])
  const first = view.run('first')
  const second = view.run('second')
  expect(await second.result).toMatchObject({ reason: 'error', error: { code: 'session.busy' } })
  await first.result
  expect(view.getSnapshot().outbox).toMatchObject([{ id: 'in-2', mode: 'run', status: 'failed', input: 'second' }])

  const retried = view.retry('in-2')
  expect(view.getSnapshot().outbox).toMatchObject([{ id: 'in-3', status: 'sending' }])
  expect((await retried).status).toBe('done')
  expect(session.state.history.map((message) => message.role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(view.getSnapshot().outbox).toEqual([])
})

test('an input whose answer was lost arrives once, however often it is retried', async () => {
  const { session: open } = agentWorld(['Hello.'])
  const session = await open()
  let lose = 2
  const flaky: AgentSession = Object.create(session, {
    id: { value: session.id },
    ready: { value: session.ready },
    state: { get: () => session.state },
    // It arrives, but nothing is heard of it here.
    subscribe: { value: () => () => {} },
    abort: { value: () => Promise.reject(new Error('lost')) },
    send: {
      value: async (...args: Parameters<AgentSession['send']>) => {
        const receipt = await session.send(...args)
        if (lose-- > 0) throw new Error('lost')
        return receipt
      },
    },
  })
  const view = createSessionView(flaky, { ids: counted() })
  view.subscribe(() => {})
  const { id } = user('in-1')
  await view.send('Hi')
  await view.retry(id)
  await view.retry(id)
  await session.follow('run_in-1').result
  expect(session.state.history.map((message) => message.role)).toEqual(['user', 'assistant'])
  expect(view.getSnapshot().outbox).toEqual([])
})

test('a run whose store failed before it began is failed, not refused: its retry keeps the id', async () => {
  const session = fakeSession(folded([]))
  const started: (string | undefined)[] = []
  session.run = (_input, options) => {
    started.push(options?.commandId)
    const error = { code: 'store.unavailable', message: 'Gone.', retryable: true }
    const { usage } = session.state
    const result = { runId: 'r', reason: 'error', text: '', usage, error, recorded: false } as const
    return { id: 'r', result: Promise.resolve(result), text: () => Promise.resolve('') } as never
  }
  const view = createSessionView(session, { ids: counted() })
  await view.run('Hi', { maxTurns: 2 }).result
  await microtasks()
  await view.retry('in-1')
  expect(started).toEqual(['in-1', 'in-1'])
  expect(view.getSnapshot().outbox).toMatchObject([{ id: 'in-1', status: 'failed', error: { retryable: true } }])
})

test('ids of the outbox stay in the list through the end of a run', async () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session, { ids: counted() })
  void view.send('Hi')
  session.emit(finish('error'))
  expect(view.getSnapshot().messageIds).toEqual(['in-1'])
})
