import { preloadSession } from '@stepwell/sdk/view'
import { act, type ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it } from 'vitest'
import { agentWorld } from '../../sdk/src/testing/agent-world.ts'
import { clientWorld, closeAll } from '../../sdk/test/fixtures/client-world.ts'
import {
  AgentProvider,
  HydrateSession,
  useAgentSession,
  useApprovals,
  useComposer,
  useConnection,
  useSession,
  useSessionSelector,
} from '../src/index.ts'
import { Transcript } from './chat.tsx'
import { hydrate, Probe, Seen, settled, unmountAll } from './render.tsx'

afterEach(async () => {
  unmountAll()
  await closeAll()
})

/** Everything that a page reads. */
function Page(): ReactNode {
  const { getInputProps } = useComposer()
  const { approvals } = useApprovals()
  return (
    <main>
      <h1>{useSessionSelector(({ row }) => row.title ?? 'Untitled')}</h1>
      <p>{useConnection().status}</p>
      <p>{useAgentSession().messages.length}</p>
      <Transcript />
      <p>{approvals.length}</p>
      <textarea {...getInputProps()} />
    </main>
  )
}

describe('HydrateSession', () => {
  it('renders the same on the server and in the page, and then follows the session', async () => {
    const { agent, connect, server } = clientWorld(['Hello there.', 'Once more.'])
    const there = await agent.session('s', { title: 'A talk' })
    await there.run('Hi').result
    const snapshot = JSON.parse(JSON.stringify(preloadSession(there)))
    // What happens between the two.
    await there.run('And?').result

    const pageOf = (client: ReturnType<typeof connect>) => (
      <AgentProvider client={client}>
        <HydrateSession snapshot={snapshot}>
          <Page />
        </HydrateSession>
      </AgentProvider>
    )
    const html = renderToString(pageOf(connect()))
    expect(html).toContain('A talk')
    expect(html).toContain('Hello there.')
    expect(html).not.toContain('Once more.')
    expect(server.requests).toEqual([])

    const { container } = hydrate(html, pageOf(connect()))
    await settled()
    expect(container.textContent).toContain('Once more.')
    expect(server.streams.length).toBe(1)
  })

  it('works with an agent in the page', async () => {
    const { agent } = agentWorld(['Hello there.', 'Once more.'])
    const there = await agent.session('s')
    await there.run('Hi').result
    const snapshot = preloadSession(there)
    const seen = new Seen<ReturnType<typeof useSession>>()
    const pageOf = (source: typeof agent) => (
      <AgentProvider agent={source}>
        <HydrateSession snapshot={snapshot}>
          <Page />
          <Probe useIt={useSession} seen={seen} />
        </HydrateSession>
      </AgentProvider>
    )
    const { container } = hydrate(renderToString(pageOf({ ...agent })), pageOf(agent))
    await act(() => seen.current.run('And?').result)
    await settled()
    expect(container.textContent).toContain('Once more.')
  })

  it('leaves alone what is known already: an older snapshot that comes late replaces nothing', async () => {
    const { agent, client } = clientWorld(['Hello there.', 'Once more.'])
    const there = await agent.session('s')
    await there.run('Hi').result
    const snapshot = preloadSession(there)
    await there.run('And?').result
    const live = (children: ReactNode) => (
      <AgentProvider client={client} sessionId="s">
        {children}
      </AgentProvider>
    )
    const { container, rerender } = hydrate('', live(<Transcript />))
    await settled()
    expect(container.textContent).toContain('Once more.')
    rerender(
      live(
        <HydrateSession snapshot={snapshot}>
          <Transcript />
        </HydrateSession>,
      ),
    )
    expect(container.textContent).toContain('Once more.')
  })
})
