import { act, Fragment, type ReactNode, StrictMode, Suspense, startTransition, useEffect, useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { agentWorld } from '../../sdk/src/testing/agent-world.ts'
import { hold } from '../../sdk/src/testing/recording-server.ts'
import { clientWorld, closeAll } from '../../sdk/test/fixtures/client-world.ts'
import { AgentProvider, type SessionSource, useMessageIds, useSession, useSessionEvent } from '../src/index.ts'
import { Transcript } from './chat.tsx'
import { Probe, render, Seen, settled, unmountAll } from './render.tsx'

afterEach(async () => {
  unmountAll()
  await closeAll()
})

type Handle = ReturnType<typeof useSession>

/** Calls its child as often as it is mounted. */
function OnMount({ act: run }: { readonly act: (session: Handle) => void }): null {
  const session = useSession()
  useEffect(() => run(session), [session, run])
  return null
}

describe('StrictMode', () => {
  it('shows each delta once', async () => {
    const { client } = clientWorld(['one two three four five six seven eight nine ten'])
    const { container } = render(
      <StrictMode>
        <AgentProvider client={client} sessionId="s">
          <Transcript />
        </AgentProvider>
      </StrictMode>,
    )
    await act(() => client.session('s').run('Count.').result)
    await settled()
    expect(container.textContent).toBe('Count.one two three four five six seven eight nine ten')
  })

  it('attaches once to a run that is open', async () => {
    const gate = hold()
    const { agent, client, server } = clientWorld([{ text: 'Hello there.', beforeEnd: () => gate.opened }])
    const run = (await agent.session('s')).run('Hi')
    await run[Symbol.asyncIterator]().next()
    const { container } = render(
      <StrictMode>
        <AgentProvider client={client} sessionId="s">
          {Array.from({ length: 20 }, (_, i) => i).map((i) => (
            <Transcript key={i} />
          ))}
        </AgentProvider>
      </StrictMode>,
    )
    await settled()
    expect(server.streams.length).toBe(1)
    gate.open()
    await act(() => run.result)
    await settled()
    expect(container.textContent).toBe('HiHello there.'.repeat(20))
    expect(server.streams.length).toBe(1)
  })

  it('keeps its one connection while consumers come and go, and gives it up when they stay away', async () => {
    const { client, server, clock } = clientWorld([])
    const app = (mount: number) => (
      <StrictMode>
        <AgentProvider key={mount} client={client} sessionId="s">
          {Array.from({ length: 20 }, (_, i) => i).map((i) => (
            <Transcript key={i} />
          ))}
        </AgentProvider>
      </StrictMode>
    )
    const { rerender, unmount } = render(app(0))
    for (let mount = 1; mount <= 10; mount++) rerender(app(mount))
    await settled()
    for (let mount = 11; mount <= 20; mount++) rerender(app(mount))
    await settled()
    expect([server.streams.length, server.open]).toEqual([1, 1])
    unmount()
    clock.advance(10_000)
    await settled()
    expect(server.open).toBe(0)
  })

  it('starts one run for a send in an effect that names its command', async () => {
    const { client, model } = clientWorld(['Hello there.'])
    render(
      <StrictMode>
        <AgentProvider client={client} sessionId="s">
          <OnMount act={sendHi} />
          <Transcript />
        </AgentProvider>
      </StrictMode>,
    )
    await settled()
    expect(model.requests.length).toBe(1)
    expect(client.session('s').state.history.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  it('goes on where it was after an unmount in the middle of a reply', async () => {
    const gate = hold()
    const { client, server } = clientWorld([{ text: 'Hello there.', beforeEnd: () => gate.opened }])
    const app = (
      <AgentProvider client={client} sessionId="s">
        <Transcript />
      </AgentProvider>
    )
    const first = render(app)
    const run = client.session('s').run('Hi')
    await settled()
    expect(first.text).toBe('HiHello there.')
    first.unmount()
    const second = render(app)
    expect(second.container.textContent).toBe('HiHello there.')
    gate.open()
    await act(() => run.result)
    expect(second.container.textContent).toBe('HiHello there.')
    expect((await run.result).reason).toBe('stop')
    expect(server.streams.length).toBe(1)
  })
})

const sendHi = ({ session }: Handle): void => {
  void session.send('Hi', { commandId: 'in_m1' })
}

describe('stale closures', () => {
  it('calls the handler of the last render, once for each event, also under StrictMode', async () => {
    const { agent } = agentWorld(['One.', 'Two.'])
    const session = await agent.session('s')
    await session.run('Before').result
    const told: string[] = []
    const app = (name: string) => (
      <StrictMode>
        <AgentProvider agent={agent} sessionId="s">
          <Told onFinish={() => told.push(name)} />
        </AgentProvider>
      </StrictMode>
    )
    const { rerender } = render(app('first'))
    await settled()
    rerender(app('second'))
    await act(() => session.run('Hi').result)
    await settled()
    expect(told).toEqual(['second'])
  })

  it('reports a handler that throws, and goes on', async () => {
    const { agent } = agentWorld(['One.'])
    const reported: unknown[] = []
    vi.stubGlobal('reportError', (thrown: unknown) => reported.push(thrown))
    const { container } = render(
      <AgentProvider agent={agent} sessionId="s">
        <Told
          onFinish={() => {
            throw new Error('of the app')
          }}
        />
        <Transcript />
      </AgentProvider>,
    )
    await settled()
    await act(async () => void (await (await agent.session('s')).run('Hi').result))
    await settled()
    expect(container.textContent).toBe('HiOne.')
    expect(reported).toEqual([new Error('of the app')])
  })

  it('asks for headers with every request, and takes inline objects for what they are', async () => {
    let token = 't1'
    const { connect, server, agent } = clientWorld(['One.', 'Two.'])
    const client = connect({ headers: async () => ({ authorization: token }) })
    const handle = new Seen<Handle>()
    const app = () => (
      <AgentProvider {...{ client, sessionId: 's' }} onCreate={() => {}}>
        <Probe useIt={useSession} seen={handle} />
        <Transcript />
      </AgentProvider>
    )
    const { rerender } = render(app())
    await settled()
    const before = server.requests.length
    for (let i = 0; i < 5; i++) rerender(app())
    await settled()
    expect(server.requests.length).toBe(before)
    token = 't2'
    await act(() => handle.current.run('Hi', { metadata: { mode: 'b' } }).result)
    expect(server.headers.at(-1)?.get('authorization')).toBe('t2')
    expect(server.commands.at(-1)).toMatchObject({ options: { metadata: { mode: 'b' } } })
    expect((await agent.session('s')).state.history.length).toBe(2)
  })
})

describe('another session id', () => {
  const app = (client: ReturnType<typeof clientWorld>['client'], sessionId: string, seen?: Seen<readonly string[]>) => (
    <AgentProvider client={client} sessionId={sessionId}>
      {seen && <Probe useIt={useMessageIds} seen={seen} />}
      <Transcript />
    </AgentProvider>
  )

  it('shows only its own from the first render on, and all of the first one’s afterwards', async () => {
    const gate = hold()
    const { client, agent } = clientWorld([{ text: 'Of the first.', before: () => gate.opened }, 'Of the second.'])
    const { container, rerender } = render(app(client, 's1'))
    const run = client.session('s1').run('First')
    await settled()
    expect(container.textContent).toBe('First')
    rerender(app(client, 's2'))
    expect(container.textContent).toBe('')
    gate.open()
    await act(() => run.result)
    expect(container.textContent).toBe('')
    rerender(app(client, 's1'))
    await settled()
    expect(container.textContent).toBe('FirstOf the first.')
    expect((await agent.session('s1')).state.lastFinish?.reason).toBe('stop')
  })

  it('ends with the last one when it changes quickly, whoever answers first', async () => {
    const { client, agent, server } = clientWorld(['One.', 'Two.', 'Three.'])
    for (const id of ['s1', 's2', 's3']) await (await agent.session(id)).run(`In ${id}`).result
    const { container, rerender } = render(app(client, 's1'))
    rerender(app(client, 's2'))
    rerender(app(client, 's3'))
    await settled()
    expect(container.textContent).toBe('In s3Three.')
    expect(server.open).toBe(1)
  })

  it('is the same session where only the key changes', async () => {
    const { client, server } = clientWorld(['One.'])
    const keyed = (key: string): ReactNode => <Fragment key={key}>{app(client, 's')}</Fragment>
    const { container, rerender } = render(keyed('a'))
    await act(() => client.session('s').run('Hi').result)
    await settled()
    rerender(keyed('b'))
    expect(container.textContent).toBe('HiOne.')
    expect(server.streams.length).toBe(1)
  })
})

let wake: (() => void) | undefined
let isThere = false

describe('concurrent rendering', () => {
  it('shows what came while it was suspended', async () => {
    const { agent } = agentWorld(['Hello there.'])
    const { container } = render(
      <StrictMode>
        <AgentProvider agent={agent} sessionId="s">
          <Suspense fallback="Loading">
            <Late />
          </Suspense>
        </AgentProvider>
      </StrictMode>,
    )
    expect(container.textContent).toBe('Loading')
    await act(async () => void (await (await agent.session('s')).run('Hi').result))
    isThere = true
    await act(async () => wake?.())
    await settled()
    expect(container.textContent).toBe('HiHello there.')
  })

  it('changes the session in a transition without a mixture of the two', async () => {
    const { agent } = agentWorld(['One.', 'Two.'])
    for (const id of ['s1', 's2']) await (await agent.session(id)).run(`In ${id}`).result
    const seen: string[] = []
    let change: (id: string) => void = () => {}
    const onSwitch = (setId: (id: string) => void) => {
      change = setId
    }
    render(<Switch agent={agent} seen={seen} onSwitch={onSwitch} />)
    await settled()
    await act(async () => startTransition(() => change('s2')))
    await settled()
    expect(seen.filter((pair) => pair.split('|')[0] !== pair.split('|')[1])).toEqual([])
  })
})

function Pair({ seen }: { readonly seen: string[] }): ReactNode {
  const ids = useMessageIds()
  const { view } = useSession()
  seen.push(`${ids[0] ?? ''}|${view.getSnapshot().messageIds[0] ?? ''}`)
  return null
}

function Told({ onFinish }: { readonly onFinish: () => void }): null {
  useSessionEvent('finish', onFinish)
  return null
}

function Late(): ReactNode {
  if (!isThere) {
    throw new Promise<void>((resolve) => {
      wake = resolve
    })
  }
  return <Transcript />
}

interface SwitchProps {
  readonly agent: SessionSource
  readonly seen: string[]
  readonly onSwitch: (setId: (id: string) => void) => void
}

function Switch({ agent, seen, onSwitch }: SwitchProps): ReactNode {
  const [id, setId] = useState('s1')
  useEffect(() => onSwitch(setId), [onSwitch])
  return (
    <AgentProvider agent={agent} sessionId={id}>
      <Pair seen={seen} />
    </AgentProvider>
  )
}
