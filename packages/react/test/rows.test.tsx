import { createAgent, defineTool, initialState } from '@stepwell/sdk'
import { scriptedModel } from '@stepwell/sdk/testing'
import { fireEvent } from '@testing-library/dom'
import { act, type ReactNode } from 'react'
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { agentWorld } from '../../sdk/src/testing/agent-world.ts'
import { fakeRemote, fakeSession } from '../../sdk/src/testing/fake-session.ts'
import { clientWorld, closeAll, gate } from '../../sdk/test/fixtures/client-world.ts'
import {
  AgentProvider,
  createAgentHooks,
  MessageParts,
  type PartRenderers,
  useApprovals,
  useConnection,
  useDeliverables,
  useHistoryPager,
  useMessageIds,
  useProgress,
  useQuestions,
  useQueue,
  useSession,
  useSessionList,
  useTasks,
} from '../src/index.ts'
import { show } from './chat.tsx'
import { Probe, render, Seen, settled, unmountAll, until } from './render.tsx'

afterEach(async () => {
  unmountAll()
  await closeAll()
})

const write = defineTool({
  name: 'write',
  description: 'Writes a file',
  input: z.object({ path: z.string() }),
  needsApproval: true,
  execute: ({ path }) => ({ written: path }),
})

describe('useApprovals', () => {
  it('shows what waits for a decision, and decides', async () => {
    const { agent } = agentWorld([{ calls: [{ name: 'write', input: { path: 'a.txt' } }] }, 'Done.'], {
      tools: [write],
    })
    const { seen, container } = show({ agent, sessionId: 's' }, useSession, <Approvals />)
    let result: Promise<{ readonly text: string }> | undefined
    await act(async () => {
      result = seen.current.run('Write it').result
    })
    await until(() => container.querySelector('[role=group]') !== null)
    const group = container.querySelector('[role=group]') as HTMLElement
    expect(document.getElementById(group.getAttribute('aria-labelledby') ?? '')?.textContent).toBe('write')
    const [, yes] = group.querySelectorAll('button')
    act(() => fireEvent.click(yes as HTMLElement))
    expect(yes?.disabled).toBe(true)
    await act(async () => void (await result))
    expect((await result)?.text).toBe('Done.')
    expect(container.querySelector('[role=group]')).toBe(null)
  })

  it('says at the request itself why an answer was not taken', async () => {
    const session = fakeSession()
    const { seen } = show({ session }, useApprovals)
    act(() => session.emit({ type: 'request', request: { id: 'a', kind: 'approval', path: [] } }))
    act(() => void seen.current.decide('a', 'allow-once', { note: 'fine' }))
    expect(session.asked).toEqual([{ command: 'resolve', args: ['a', { decision: 'allow-once', note: 'fine' }] }])
    expect(seen.current.approvals[0]?.status).toBe('answering')
    const error = { code: 'request.invalid-answer', message: 'No.', retryable: false }
    act(() => session.answer({ status: 'refused', error }))
    await settled()
    expect(seen.current.approvals[0]).toMatchObject({ status: 'open', error })
  })
})

it('useQuestions asks, answers and skips', () => {
  const session = fakeSession()
  const { seen } = show({ session }, useQuestions)
  act(() => {
    session.emit({ type: 'request', request: { id: 'q', kind: 'question', path: [], questions: [] } })
    session.emit({ type: 'request', request: { id: 'a', kind: 'approval', path: [] } })
  })
  expect(seen.current.questions.map(({ request }) => request.id)).toEqual(['q'])
  act(() => void seen.current.answer('q', { one: ['Yes'] }))
  act(() => void seen.current.skip('q'))
  expect(session.asked.map(({ args }) => args)).toEqual([
    ['q', { answers: { one: ['Yes'] } }],
    ['q', { answers: {}, skipped: true }],
  ])
})

describe('useQueue', () => {
  it('shows what waits, and is busy or wrong item by item', async () => {
    const session = fakeSession()
    const { seen } = show({ session }, useQueue)
    act(() => {
      session.emit({ type: 'run-start', runId: 'r', trigger: 'input', inputIds: [], config: {} })
      session.emit({ type: 'input', inputId: 'a', parts: [{ type: 'text', text: 'A' }], lane: 'queue' })
      session.emit({ type: 'input', inputId: 'b', parts: [{ type: 'text', text: 'B' }], lane: 'queue' })
    })
    expect(seen.current.queue.map(({ id }) => id)).toEqual(['a', 'b'])
    act(() => void seen.current.move('a', 'steer'))
    expect([seen.current.statusOf('a').isBusy, seen.current.statusOf('b').isBusy]).toEqual([true, false])
    const error = { code: 'input.unknown', message: 'Gone.', retryable: false }
    act(() => session.answer({ status: 'refused', error }))
    await settled()
    expect(seen.current.statusOf('a')).toEqual({ isBusy: false, error })
    act(() => void seen.current.remove('a'))
    act(() => session.fail(new Error('offline')))
    await settled()
    expect(seen.current.statusOf('a').error?.message).toContain('offline')
    act(() => void seen.current.edit('b', 'C'))
    act(() => session.answer({ status: 'done' }))
    await settled()
    expect(seen.current.statusOf('b')).toEqual({ isBusy: false })
    expect(session.asked.map(({ args }) => args)).toEqual([
      ['a', { lane: 'steer' }],
      ['a', { remove: true }],
      ['b', { input: 'C' }],
    ])
  })
})

it('useProgress follows the steps of a run, not its words', () => {
  const session = fakeSession()
  const { seen } = show({ session }, useProgress)
  expect(seen.current).toEqual({ status: 'idle', calls: [], tasks: [] })
  act(() => {
    session.emit(
      { type: 'run-start', runId: 'r', trigger: 'input', inputIds: [], config: { maxTurns: 5 } },
      {
        type: 'turn-start',
        runId: 'r',
        turn: 1,
        attempt: 1,
        messageId: 'm',
        purpose: 'reply',
        model: { provider: 'p', model: 'm', api: 'a' },
      },
    )
  })
  expect(seen.current).toMatchObject({ status: 'running', turn: 1, maxTurns: 5 })
  const { renders } = seen
  act(() => session.emit({ type: 'text-delta', part: 0, from: 0, text: 'Hello' }))
  expect(seen.renders).toBe(renders)
  const call = { type: 'tool-call', callId: 'c', toolName: 't', input: {}, state: 'ready' } as const
  act(() => {
    session.emit({ type: 'message', message: { role: 'assistant', id: 'm', at: 1, parts: [call] } })
    session.emit({ type: 'tool-start', callId: 'c', toolName: 't', effect: 'read' })
    session.emit({ type: 'tool-output', callId: 'c', text: 'x', progress: { done: 1, total: 2 } })
  })
  expect(seen.current.calls).toEqual([{ callId: 'c', toolName: 't', progress: { done: 1, total: 2 } }])
})

it('useTasks and useDeliverables give what there is', () => {
  const session = fakeSession()
  const tasks = show({ session }, useTasks)
  const files = show({ session }, useDeliverables)
  act(() => session.emit({ type: 'task', task: { id: 't', kind: 'job', state: 'running', title: 'Build' } }))
  expect(tasks.seen.current).toMatchObject([{ id: 't', state: 'running' }])
  expect(files.seen.current).toEqual([])
})

it('useConnection and useHistoryPager follow a session behind a server', async () => {
  const message = (id: string) => ({ role: 'user' as const, id, at: 1, parts: [] })
  const state = { ...initialState('s'), seq: 1, history: [message('c')] }
  const session = fakeRemote(state, [message('a'), message('b')])
  const connection = show({ session }, useConnection)
  const pager = show({ session }, useHistoryPager)
  const ids = show({ session }, useMessageIds)
  expect([connection.seen.current.status, pager.seen.current.more]).toEqual(['connecting', true])
  act(() => session.connect({ status: 'live' }))
  expect(connection.seen.current.status).toBe('live')
  await act(() => pager.seen.current.loadBefore())
  expect(ids.seen.current).toEqual(['a', 'b', 'c'])
  expect(pager.seen.current).toMatchObject({ more: false, isLoading: false })
})

describe('useSessionList', () => {
  it('lists, searches, loads more, renames, archives and removes', async () => {
    const { agent, clock } = agentWorld([])
    for (const title of ['One', 'Two', 'Three']) {
      await agent.session(title, { title })
      clock.advance(1)
    }
    const seen = new Seen<ReturnType<typeof useSessionList>>()
    const app = (search?: string) => (
      <AgentProvider agent={agent}>
        <Probe useIt={() => useSessionList({ limit: 2, ...(search && { search }) })} seen={seen} />
      </AgentProvider>
    )
    const { rerender } = render(app())
    expect([seen.current.isLoading, seen.current.sessions]).toEqual([true, []])
    await until(() => !seen.current.isLoading)
    const titles = () => seen.current.sessions.map(({ title }) => title)
    expect([titles(), seen.current.hasMore]).toEqual([['Three', 'Two'], true])
    await act(() => seen.current.loadMore())
    expect([titles(), seen.current.hasMore]).toEqual([['Three', 'Two', 'One'], false])
    await act(() => seen.current.rename('One', 'Uno'))
    expect(titles()).toContain('Uno')
    rerender(app('tw'))
    await until(() => seen.current.sessions.length === 1)
    expect(titles()).toEqual(['Two'])
    await act(() => seen.current.archive('Two'))
    expect(titles()).toEqual([])
    rerender(app())
    await act(() => seen.current.remove('Three'))
    expect(titles()).toEqual(['Uno'])
  })

  it('shows what is searched for now, also when what was done before takes longer', async () => {
    const { agent } = agentWorld([])
    for (const title of ['One', 'Two', 'Three']) await agent.session(title, { title })
    const held = gate()
    const slow = { ...agent, delete: (id: string) => held.wait().then(() => agent.delete(id)) }
    const seen = new Seen<ReturnType<typeof useSessionList>>()
    const app = (search: string) => (
      <AgentProvider agent={slow}>
        <Probe useIt={() => useSessionList({ search })} seen={seen} />
      </AgentProvider>
    )
    const ids = () => seen.current.sessions.map(({ id }) => id)
    const { rerender } = render(app('One'))
    await until(() => ids().includes('One'))
    const { remove } = seen.current
    const removed = remove('Three')
    rerender(app('Two'))
    await until(() => ids().includes('Two'))
    held.open()
    await act(() => removed)
    expect(ids()).toEqual(['Two'])
  })

  it.each(['agent', 'client'] as const)('makes nothing of a session that is not there any more: %s', async (kind) => {
    const { agent, client, store } = clientWorld([])
    await agent.session('s', { title: 'Old' })
    const { seen } = show({ [kind]: { agent, client }[kind] }, () => useSessionList())
    await until(() => !seen.current.isLoading)
    await agent.delete('s')
    await act(() => seen.current.rename('s', 'New'))
    expect(seen.current.error?.code).toBe('session.not-found')
    expect(await store.get('s')).toBeUndefined()
  })

  it('says what went wrong, and needs a source', async () => {
    const { agent } = agentWorld([])
    const broken = { ...agent, sessions: () => Promise.reject(new Error('offline')) }
    const { seen } = show({ agent: broken }, () => useSessionList())
    await until(() => !seen.current.isLoading)
    expect(seen.current).toMatchObject({ isLoading: false, error: { message: 'offline' } })
  })
})

describe('MessageParts', () => {
  const parts = [
    { type: 'text', text: 'Look: ' },
    { type: 'reasoning', text: 'Hm.' },
    { type: 'tool-call', callId: 'c', toolName: 'write', input: { path: 'a' }, state: 'done' },
    { type: 'tool-call', callId: 'd', toolName: 'toString', input: {}, state: 'done' },
    { type: 'hologram' } as never,
  ] as const

  function shown(renderers?: PartRenderers): string {
    const state = initialState('s')
    const note = { role: 'note' as const, id: 'n', at: 1, kind: 'summary' as const, text: 'So far.', toModel: true }
    const history = [{ role: 'assistant' as const, id: 'm', at: 1, parts }, note]
    const { container } = render(
      <AgentProvider session={fakeSession({ ...state, history })}>
        <MessageParts id="m" {...(renderers && { renderers })} />
        <MessageParts id="n" {...(renderers && { renderers })} />
        <MessageParts id="nobody" />
      </AgentProvider>,
    )
    return container.textContent ?? ''
  }

  it('shows text, and names what it has no component for', () => {
    expect(shown()).toBe('Look: [reasoning][tool-call][tool-call][hologram]So far.')
  })

  it('renders each part by its component, tools by their name', () => {
    const renderers: PartRenderers = {
      text: ({ part }) => part.text.toUpperCase(),
      reasoning: ({ part }) => `(${part.text})`,
      tools: { write: ({ part }) => `${part.toolName} ${String(part.input?.path)};` },
      toolCall: ({ part }) => `?${part.toolName};`,
      fallback: ({ part }) => `<${part.type}>`,
      note: ({ note }) => `# ${note.text}`,
    }
    expect(shown(renderers)).toBe('LOOK: (Hm.)write a;?toString;<hologram># So far.')
  })
})

describe('createAgentHooks', () => {
  const agent = createAgent({ model: scriptedModel([]), tools: [write] })
  const typed = createAgentHooks<typeof agent>()

  it('knows the tools of the agent', () => {
    type Call = NonNullable<NonNullable<ReturnType<typeof typed.useToolCall>>['part']>
    expectTypeOf<Call['toolName']>().toEqualTypeOf<'write'>()
    expectTypeOf<NonNullable<Call['input']>>().toEqualTypeOf<{ path: string }>()
    expectTypeOf<NonNullable<Call['result']>['output']>().toEqualTypeOf<{ written: string } | string>()
    expect(agent.tools.map(({ name }) => name)).toEqual(['write'])
  })

  it('renders with them', () => {
    const history = [
      {
        role: 'assistant' as const,
        id: 'm',
        at: 1,
        parts: [
          { type: 'tool-call' as const, callId: 'c', toolName: 'write', input: { path: 'a' }, state: 'done' as const },
        ],
      },
    ]
    const { container } = render(
      <AgentProvider session={fakeSession({ ...initialState('s'), history })}>
        <typed.MessageParts id="m" renderers={{ tools: { write: ({ part }) => part.input?.path } }} />
      </AgentProvider>,
    )
    expect(container.textContent).toBe('a')
  })
})

function Approvals(): ReactNode {
  const { approvals, getApprovalProps, getDecisionProps } = useApprovals()
  return approvals.map((item) => {
    const { labelId, ...props } = getApprovalProps(item)
    return (
      <div key={item.request.id} {...props}>
        <h2 id={labelId}>{item.request.tool?.name}</h2>
        <button {...getDecisionProps(item, 'deny')}>No</button>
        <button {...getDecisionProps(item, 'allow-once')}>Yes</button>
      </div>
    )
  })
}
