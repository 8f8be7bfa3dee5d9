import { describe, expect, it } from 'vitest'
import { HOST } from '../../../test/fixtures/server-world.ts'
import { agentWorld } from '../../testing/agent-world.ts'
import { createAgentServer } from './create-server.ts'
import type { AgentServerOptions } from './options.ts'

describe('createAgentServer', () => {
  const { agent } = agentWorld([])
  const authorize = () => ({ id: 'ada' })

  it.each([
    ['no authorize', { agent }],
    ['no agent', { agent: {}, authorize }],
    ['an origin that is none', { agent, authorize, cors: { origins: ['*'] } }],
    ['what cannot be exposed', { agent, authorize, expose: ['model'] }],
    ['a path that is none', { agent, authorize, basePath: 'api/' }],
    ['runs that would be cut', { agent, authorize, waitUntil: () => {}, maxDurationMs: 1_000 }],
  ])('refuses %s', (_what, options) => {
    expect(() => createAgentServer(options as unknown as AgentServerOptions)).toThrow(
      expect.objectContaining({ code: 'config.invalid' }),
    )
  })

  it('does not answer for an authorize that gives no principal, and says nothing of why', async () => {
    const logged: string[] = []
    const logger = { log: (_level: string, message: string) => logged.push(message) }
    const { agent: logging } = agentWorld([], { logger })
    for (const given of [() => ({ id: '' }), () => Promise.reject(new Error('the key is hunter2'))]) {
      const served = createAgentServer({ agent: logging, authorize: given as () => { id: string } })
      const response = await served.fetch(new Request(`${HOST}/health`))
      expect(response.status).toBe(500)
      expect(await response.json()).toEqual({
        error: { code: 'internal', message: 'The server failed.', retryable: false },
      })
    }
    expect(logged).toHaveLength(2)
  })

  it('serves below a path', async () => {
    const served = createAgentServer({ agent, authorize, basePath: '/api/agent' })
    expect((await served.fetch(new Request(`${HOST}/api/agent/health`))).status).toBe(200)
    expect((await served.fetch(new Request(`${HOST}/health`))).status).toBe(404)
  })
})
