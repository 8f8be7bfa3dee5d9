import { act, StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it } from 'vitest'
import { agentWorld } from '../../sdk/src/testing/agent-world.ts'
import { fakeSession } from '../../sdk/src/testing/fake-session.ts'
import type { ScriptedStep } from '../../sdk/src/testing/scripted-model.ts'
import { clientWorld, closeAll } from '../../sdk/test/fixtures/client-world.ts'
import { AgentProvider, type SessionTarget, useAgentSession, useSession, useSessionSelector } from '../src/index.ts'
import { show, showChat, Transcript } from './chat.tsx'
import { Probe, render, Seen, settled, unmountAll } from './render.tsx'

afterEach(async () => {
  unmountAll()
  await closeAll()
})

const worlds: [string, (steps: readonly ScriptedStep[]) => SessionTarget][] = [
  ['an agent in the page', (steps) => ({ agent: agentWorld(steps).agent, sessionId: 's' })],
  ['a client', (steps) => ({ client: clientWorld(steps).client, sessionId: 's' })],
]

describe.each(worlds)('with %s', (_name, world) => {
  it('useAgentSession gives what there is and what can be done', async () => {
    const { seen } = show(world(['Hello there.']), () => useAgentSession())
    expect(seen.current).toMatchObject({ messages: [], history: [], status: 'idle' })
    await act(() => seen.current.run('Hi').result)
    await settled()
    expect(seen.current.messages.map(({ message, status }) => [message.role, status])).toEqual([
      ['user', 'committed'],
      ['assistant', 'committed'],
    ])
    expect(seen.current).toMatchObject({ status: 'idle', canStop: false, connection: { status: 'live' } })
    expect(seen.current.history).toEqual(seen.current.messages)
    expect(seen.current.lastFinish?.reason).toBe('stop')
    expect(seen.current.usage.total.requests).toBe(1)
  })

  it('useAgentSession needs no provider around it', async () => {
    const seen = new Seen<ReturnType<typeof useAgentSession>>()
    const target = world(['Hello there.'])
    render(
      <StrictMode>
        <Probe useIt={() => useAgentSession({ ...target })} seen={seen} />
      </StrictMode>,
    )
    await act(() => seen.current.run('Hi').result)
    await settled()
    expect(seen.current.history.length).toBe(2)
  })

  it('shows rows', async () => {
    const { seen, container } = showChat(world(['Hello there.']))
    await act(() => seen.current.run('Hi').result)
    await settled()
    expect(container.textContent).toBe('HiHello there.')
  })

  it('makes a session with the first command where no id is given, and stays with it when the id is', async () => {
    const { sessionId: _none, ...target } = world(['Hello there.', 'Again.'])
    const created: string[] = []
    const onCreate = (id: string) => created.push(id)
    const seen = new Seen<ReturnType<typeof useSession>>()
    const chat = (sessionId?: string) => (
      <AgentProvider {...target} sessionId={sessionId} onCreate={onCreate}>
        <Probe useIt={useSession} seen={seen} />
        <Transcript />
      </AgentProvider>
    )
    const { container, rerender } = render(chat())
    await settled()
    expect(created).toEqual([])
    let done: Promise<unknown> | undefined
    await act(async () => {
      done = seen.current.run('Hi').result
    })
    await act(async () => void (await done))
    await settled()
    expect(created).toEqual([seen.current.session.id])
    const [row] = container.querySelectorAll('p')
    const { view } = seen.current
    rerender(chat(created[0]))
    expect(container.textContent).toBe('HiHello there.')
    expect(container.querySelector('p')).toBe(row)
    expect(seen.current.view).toBe(view)
    rerender(chat())
    expect(container.textContent).toBe('')
    expect(seen.current.session.id).toBe('')
  })
})

it('useAgentSession gives the same functions, whatever happens in the session', () => {
  const session = fakeSession()
  const { seen } = show({ session }, () => useAgentSession())
  const before = seen.current
  act(() => session.emit({ type: 'notice', code: 'reply.blank', text: 'Blank' }))
  expect(seen.current.notices).toHaveLength(1)
  const { send, continue: goOn, rewind, fork } = seen.current
  expect({ send, goOn, rewind, fork }).toEqual({
    send: before.send,
    goOn: before.continue,
    rewind: before.rewind,
    fork: before.fork,
  })
})

it('a session that was deleted is another one for who comes back to its id', async () => {
  const { client } = clientWorld(['Hello there.', 'Hello again.'])
  const seen = new Seen<ReturnType<typeof useAgentSession>>()
  const app = (sessionId: string) => (
    <AgentProvider client={client} sessionId={sessionId}>
      <Probe useIt={() => useAgentSession()} seen={seen} />
    </AgentProvider>
  )
  const { rerender } = render(app('s'))
  await act(() => seen.current.run('Hi').result)
  await act(() => client.delete('s'))
  expect(seen.current.connection).toMatchObject({ status: 'failed', error: { code: 'session.not-found' } })
  expect(seen.current.messages).toHaveLength(2)
  rerender(app('other'))
  rerender(app('s'))
  expect(seen.current.messages).toEqual([])
  expect(await act(() => seen.current.run('Hi').text())).toBe('Hello again.')
  await settled()
  expect(seen.current.messages).toHaveLength(2)
})

describe('the provider', () => {
  it('is asked for by hooks that have none', () => {
    expect(() => renderToString(<Probe useIt={useSession} seen={new Seen()} />)).toThrow(
      expect.objectContaining({ code: 'config.invalid' }),
    )
  })

  it('may stand inside another one, for another session of the same client', async () => {
    const { agent } = agentWorld([])
    await (await agent.session('a')).update({ title: 'A' })
    await (await agent.session('b')).update({ title: 'B' })
    const outer = new Seen<string | undefined>()
    const inner = new Seen<string | undefined>()
    render(
      <AgentProvider agent={agent} sessionId="a">
        <Probe useIt={useTitle} seen={outer} />
        <AgentProvider sessionId="b">
          <Probe useIt={useTitle} seen={inner} />
        </AgentProvider>
      </AgentProvider>,
    )
    await settled()
    expect([outer.current, inner.current]).toEqual(['A', 'B'])
  })
})

describe('useSessionSelector', () => {
  it('renders anew when the slice is another one, whatever the selector’s identity', () => {
    const session = fakeSession()
    const { seen } = show({ session }, () =>
      useSessionSelector(
        ({ notices }) => notices.map(({ code }) => code),
        (a, b) => a.join() === b.join(),
      ),
    )
    expect([seen.current, seen.renders]).toEqual([[], 1])
    act(() => session.emit({ type: 'session-updated', title: 'A' }))
    expect(seen.renders).toBe(1)
    act(() => session.emit({ type: 'notice', code: 'reply.blank', text: 'Blank' }))
    expect([seen.current, seen.renders]).toEqual([['reply.blank'], 2])
  })

  it('keeps an equal slice when the selector changes', () => {
    const session = fakeSession()
    const seen = new Seen<readonly number[]>()
    const app = (by: number) => (
      <AgentProvider session={session}>
        <Probe
          useIt={() =>
            useSessionSelector(
              ({ id }) => [id.length * by],
              (a, b) => a.join() === b.join(),
            )
          }
          seen={seen}
        />
      </AgentProvider>
    )
    const { rerender } = render(app(1))
    const before = seen.current
    rerender(app(1))
    expect(seen.current).toBe(before)
    rerender(app(2))
    expect(seen.current).toEqual([2])
  })
})

describe('useSession', () => {
  it('never renders anew', () => {
    const session = fakeSession()
    const { seen } = show({ session }, useSession)
    act(() => session.emit({ type: 'notice', code: 'reply.blank', text: 'Blank' }))
    expect(seen.renders).toBe(1)
  })
})

function useTitle(): string | undefined {
  return useSessionSelector(({ row }) => row.title)
}
