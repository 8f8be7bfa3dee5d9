import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { agentWorld } from '../src/testing/agent-world.ts'
import { sseFrames } from '../src/testing/sse.ts'
import { createAgentServer } from '../src/wire/server/index.ts'
import { listen } from './fixtures/served.ts'

const authorize = () => ({ id: 'ada' })

/** A session is created, run and followed at this address. */
async function works(url: string, ask: typeof fetch = fetch): Promise<void> {
  const post = (path: string, body: object) =>
    ask(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  expect((await post('/sessions', { id: 's' })).status).toBe(201)
  const stream = await ask(`${url}/sessions/s/events`, { headers: { 'accept-encoding': 'gzip' } })
  expect(stream.headers.get('content-encoding')).toBeNull()
  await post('/sessions/s/commands', { id: 'a', type: 'input', mode: 'run', parts: [{ type: 'text', text: 'Hi' }] })
  let last: string | undefined
  for await (const { events } of sseFrames(stream)) {
    last = events?.at(-1)?.type
    if (last === 'finish') break
  }
  expect(last).toBe('finish')
  expect((await ask(`${url}/sessions/s`)).status).toBe(200)
  const large = 'x'.repeat(9 * 1024 * 1024)
  expect((await post('/sessions', { id: large })).status).toBe(413)
}

it('is a handler of Node', async () => {
  const { fetch: handler } = createAgentServer({ agent: agentWorld(['Hello.']).agent, authorize, basePath: '/api' })
  const { url, close } = await listen(handler)
  await works(`${url}/api`)
  await close()
})

it('is mounted in Express', async () => {
  const server = createAgentServer({ agent: agentWorld(['Hello.']).agent, authorize, basePath: '/agent' })
  const app = express()
  const listener = getRequestListener(server.fetch)
  app.use((request, response, next) => (request.path.startsWith('/agent/') ? void listener(request, response) : next()))
  app.get('/', (_request, response) => void response.send('app'))
  const http = createServer(app)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as { port: number }
  await works(`http://127.0.0.1:${port}/agent`)
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('app')
  http.close()
  http.closeAllConnections()
})

it('is mounted in Hono', async () => {
  const server = createAgentServer({ agent: agentWorld(['Hello.']).agent, authorize })
  const app = new Hono().mount('/agent', server.fetch)
  await works('http://app.test/agent', async (input, init) => app.fetch(new Request(input, init)))
})

it('is a route handler of Next.js, and what Bun, Deno and Workers call', async () => {
  const server = createAgentServer({ agent: agentWorld(['Hello.']).agent, authorize, basePath: '/api/agent' })
  // app/api/agent/[...path]/route.ts: export { handler as GET, handler as POST, handler as DELETE }
  const handler = (request: Request): Promise<Response> => server.fetch(request)
  await works('https://app.test/api/agent', (input, init) => handler(new Request(input, init)))
})
