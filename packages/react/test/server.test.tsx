// @vitest-environment node
import { preloadSession } from '@stepwell/sdk/view'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { agentWorld } from '../../sdk/src/testing/agent-world.ts'
import {
  AgentProvider,
  HydrateSession,
  useAgentSession,
  useAnnouncer,
  useComposer,
  useSessionList,
  useThreadViewport,
} from '../src/index.ts'
import { Transcript } from './chat.tsx'
import { Probe, Seen } from './render.tsx'

it('on a server nothing of one request is left for the next', async () => {
  const { agent } = agentWorld(['For Ada alone.'])
  const session = await agent.session('s')
  await session.run('Hi').result
  const forAda = (
    <AgentProvider agent={agent}>
      <HydrateSession snapshot={preloadSession(session)}>
        <Transcript />
      </HydrateSession>
    </AgentProvider>
  )
  const forBob = (
    <AgentProvider agent={agent} sessionId="s">
      <Transcript />
    </AgentProvider>
  )
  expect(renderToString(forAda)).toContain('For Ada alone.')
  expect(renderToString(forBob)).toBe('')
})

it('on a server every hook renders without a warning', async () => {
  const { agent } = agentWorld([])
  const html = renderToString(
    <AgentProvider agent={agent} sessionId="s">
      <Probe useIt={useThreadViewport} seen={new Seen()} />
      <Probe useIt={useAnnouncer} seen={new Seen()} />
      <Probe useIt={useComposer} seen={new Seen()} />
      <Probe useIt={useSessionList} seen={new Seen()} />
    </AgentProvider>,
  )
  expect(html).toBe('')
})

it('on a server nothing is opened', async () => {
  const { agent } = agentWorld([])
  const seen = new Seen<ReturnType<typeof useAgentSession>>()
  renderToString(<Probe useIt={() => useAgentSession({ agent, sessionId: 's' })} seen={seen} />)
  expect(seen.current).toMatchObject({ connection: { status: 'connecting' }, messages: [] })
  expect((await agent.sessions()).items).toEqual([])
})
