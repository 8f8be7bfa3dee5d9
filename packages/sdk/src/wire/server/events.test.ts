import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../stores/memory.ts'
import type { SessionStore } from '../../stores/store.ts'
import { agentWorld } from '../../testing/agent-world.ts'
import { sseFrames } from '../../testing/sse.ts'
import { createAgentServer } from './create-server.ts'
import type { AgentServerOptions } from './options.ts'

const ORIGIN = 'https://app.test'

/** A server with a session of Ada's. */
async function world(options: Partial<AgentServerOptions> = {}, store: SessionStore = memoryStore()) {
  const { agent } = agentWorld([], { store })
  const authorize = () => ({ id: 'ada' })
  const served = createAgentServer({ agent, authorize, cors: { origins: [ORIGIN] }, ...options })
  const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    served.fetch(new Request(`http://agent.test${path}`, { headers }))
  const { state } = await agent.session('s', { principal: 'ada' })
  return { ask, served, seq: state.seq }
}

describe.each(['/sessions/s/events', '/events?s=s:0'])('the stream %s', (path) => {
  it.each([{}, { origin: ORIGIN }])('has the headers of any response, and its own: asked with %j', async (headers) => {
    const { ask } = await world()
    const other = await ask('/health', headers)
    const stream = await ask(path, headers)
    expect(other.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(Object.fromEntries(stream.headers)).toEqual({
      ...Object.fromEntries(other.headers),
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    await stream.body?.cancel()
  })

  it('tells its reader to come back when the server closes while it is asked for', async () => {
    let closed: Promise<void> | undefined
    const { ask, served } = await world({
      authorize: () => ({ id: 'eve' }),
      canAccess: () => {
        closed = served.close({ drainMs: 0 })
        return true
      },
    })
    const frames = sseFrames(await ask(path))
    expect((await frames.next()).value).toEqual({ reconnect: 0 })
    expect((await frames.next()).done).toBe(true)
    await closed
  })
})

describe('a reader that comes back and has missed nothing', () => {
  it('is told where it is, and costs no reading', async () => {
    const store = memoryStore()
    let pages = 0
    const read: SessionStore['read'] = (id, options) => {
      if (options?.limit !== undefined) pages++
      return store.read(id, options)
    }
    const { ask, seq } = await world({}, { ...store, read })
    const first = async (after: number) => {
      const frames = sseFrames(await ask(`/sessions/s/events?after=${after}`))
      const { value } = await frames.next()
      await frames.return(undefined)
      return value
    }
    expect(await first(seq)).toMatchObject({ prev: seq, head: seq, events: [] })
    expect(pages).toBe(0)
    expect(await first(0)).toMatchObject({ prev: 0, head: seq })
    expect(pages).toBe(1)
  })
})
