import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { connectMcp, type Mcp, type McpChange } from '../src/mcp/index.ts'
import { stdio } from '../src/mcp/stdio.node.ts'
import { StepwellError } from '../src/protocol/errors.ts'
import { manualClock } from '../src/testing/manual-clock.ts'
import { hold } from '../src/testing/recording-server.ts'
import { resultsOf, startServer, type TestServerOptions, testServer, text, tool } from './fixtures/mcp.ts'

const reading = { annotations: { readOnlyHint: true } }
const act = { name: 'mcp__box__act' }
const opened: { close(): unknown }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
})

async function failureOf(connecting: Promise<Mcp>): Promise<StepwellError> {
  const failure: unknown = await connecting.then(
    () => undefined,
    (error) => error,
  )
  if (!(failure instanceof StepwellError)) throw new TypeError('It connected.')
  return failure
}

describe('a server that dies', () => {
  test('is connected again by the next call', async () => {
    const box = testServer({ tools: [tool('act', reading)] })
    const changes: McpChange[] = []
    const mcp = await connectMcp({ servers: { box: box.server }, onChange: (change) => changes.push(change) })
    opened.push(mcp)
    await box.die()
    expect(changes.at(-1)).toEqual({ type: 'disconnected', server: 'box' })
    expect(await resultsOf(mcp.tools, [act, act])).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok' }])
    expect(changes.at(-1)).toEqual({ type: 'reconnected', server: 'box' })
    expect(box.running.size).toBe(1)
  })

  test('and stays away is tried three times, with pauses, and then the call says so', async () => {
    const box = testServer({ tools: [tool('act', reading)] })
    const clock = manualClock()
    const mcp = await connectMcp({ servers: { box: box.server }, clock })
    opened.push(mcp)
    await box.die({ forGood: true })
    const transport = vi.spyOn(box.server, 'transport')
    const called = resultsOf(mcp.tools, [act])
    for (const [attempts, pause] of [
      [1, 500],
      [2, 2_000],
    ] as const) {
      await vi.waitFor(() => expect([transport.mock.calls.length, clock.pending]).toEqual([attempts, 1]))
      clock.advance(pause)
    }
    expect(await called).toMatchObject([
      { outcome: 'error', code: 'mcp.unreachable', output: expect.stringContaining('"box" cannot be reached: nobody') },
    ])
    expect(transport).toHaveBeenCalledTimes(3)
  })

  test('while a call runs leaves its outcome unknown', async () => {
    const box = testServer({
      tools: [tool('act', reading)],
      async call() {
        await box.die()
        return text('never heard')
      },
    })
    const mcp = await connectMcp({ servers: { box: box.server } })
    opened.push(mcp)
    expect(await resultsOf(mcp.tools, [act])).toMatchObject([
      { outcome: 'error', code: 'mcp.lost', output: expect.stringContaining('outcome of the call is unknown') },
    ])
  })
})

describe('closing', () => {
  test('ends what runs, and refuses what comes later', async () => {
    const started = hold()
    const box = testServer({
      tools: [tool('act', reading)],
      call() {
        started.open()
        return new Promise(() => {})
      },
    })
    const mcp = await connectMcp({ servers: { box: box.server } })
    const [known] = mcp.tools
    const running = resultsOf(known ? [known] : [], [act, act])
    await started.opened
    await mcp.close()
    await mcp.close()
    expect(await running).toMatchObject([{ code: 'mcp.closed' }, { code: 'mcp.closed' }])
    expect(box.running.size).toBe(0)
  })

  test('one server that cannot be connected leaves none connected', async () => {
    const box = testServer({ tools: [] })
    const { code } = await failureOf(
      connectMcp({ servers: { box: box.server, none: stdio({ command: '/does/not/exist' }) } }),
    )
    expect(code).toBe('mcp.unreachable')
    expect(box.running.size).toBe(0)
  })
})

describe('a program', () => {
  const node = (program: string, env: Record<string, string> = {}) =>
    stdio({ command: process.execPath, args: ['-e', program], env })

  test('that ends at once is told with what it printed, without secrets', async () => {
    const program = 'console.error("the key " + process.env.KEY + " is wrong"); process.exit(1)'
    const failure = await failureOf(connectMcp({ servers: { box: node(program, { KEY: 'sk-1234' }) } }))
    expect(failure).toMatchObject({
      code: 'mcp.unreachable',
      retryable: true,
      details: { stderr: 'the key [secret] is wrong\n' },
    })
    expect(JSON.stringify(failure) + failure.stack).not.toContain('sk-1234')
  })

  test('that printed a lot is told with the end of it, without a piece of a secret', async () => {
    const program = 'console.error(process.env.KEY + "y".repeat(1_995)); process.exit(1)'
    const failure = await failureOf(connectMcp({ servers: { box: node(program, { KEY: 'sk-12345678' }) } }))
    const { stderr } = failure.details as { stderr: string }
    expect(stderr).toHaveLength(2_000)
    expect(stderr).not.toContain('5678')
  })

  test('that refuses to be used is gone when that is told', async () => {
    const refusal = '{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"not today"}}'
    const program = `process.stdin.on("data", () => { console.error(process.pid); console.log('${refusal}') })`
    const failure = await failureOf(connectMcp({ servers: { box: node(program) } }))
    expect(failure).toMatchObject({ code: 'mcp.protocol', message: expect.stringContaining('not today') })
    const { stderr } = failure.details as { stderr: string }
    expect(() => process.kill(Number.parseInt(stderr, 10), 0)).toThrow('ESRCH')
  })
})

test('a server that says nothing is given up after its time', async () => {
  const silent = { start: async () => {}, send: async () => {}, close: async () => {} }
  const server = { transport: () => silent, connectTimeoutMs: 20 }
  expect(await failureOf(connectMcp({ servers: { box: server } }))).toMatchObject({ code: 'mcp.unreachable' })
})

describe('over HTTP', () => {
  async function listening(status: number) {
    const server = createServer(({ headers }, response) => {
      response.writeHead(status).end(headers.authorization)
    })
    opened.push({ close: () => server.close() })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?token=tok-9876` }
  }

  test.each([
    [401, 'mcp.auth', false],
    [403, 'mcp.auth', false],
    [404, 'mcp.unreachable', true],
    [500, 'mcp.unreachable', true],
  ])('%i: %s, and the header it was sent is in no error', async (status, code, retryable) => {
    const headers = { authorization: 'Bearer sk-1234' }
    const failure = await failureOf(connectMcp({ servers: { box: { url: (await listening(status)).url, headers } } }))
    expect(failure).toMatchObject({ code, retryable, message: expect.stringContaining('[secret]') })
    expect(JSON.stringify(failure) + failure.stack).not.toMatch(/sk-1234|tok-9876/)
  })

  test('nobody there: mcp.unreachable', async () => {
    const { server, url } = await listening(200)
    await new Promise((resolve) => server.close(resolve))
    const { code, message } = await failureOf(connectMcp({ servers: { box: { url } } }))
    expect([code, message]).toEqual(['mcp.unreachable', expect.stringContaining('ECONNREFUSED')])
  })

  /** A server with sessions, which it can forget; then it answers with `status`. */
  async function sessions(status: number, options: TestServerOptions) {
    const transports = new Map<string, StreamableHTTPServerTransport>()
    let begun = 0
    const server = createServer(async (request, response) => {
      const id = request.headers['mcp-session-id']
      const known = transports.get(String(id))
      if (known !== undefined) return known.handleRequest(request, response)
      if (id !== undefined) return response.writeHead(status).end()
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => `session-${++begun}`,
        onsessioninitialized: (id) => void transports.set(id, transport),
      })
      // Its optional fields are declared without `undefined`, which is all that differs.
      await startServer(options, transport as Transport)
      return transport.handleRequest(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    opened.push({ close: () => server.close() })
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, transports }
  }

  test.each([400, 404])(
    'a session that the server has forgotten (%i) is begun anew, and the call made',
    async (status) => {
      let calls = 0
      const call = () => text(`call ${++calls}`)
      const { url, transports } = await sessions(status, { tools: [tool('act', reading)], call })
      const mcp = await connectMcp({ servers: { box: { url } } })
      opened.unshift(mcp)
      transports.clear()
      expect(await resultsOf(mcp.tools, [act, act])).toMatchObject([{ output: 'call 1' }, { output: 'call 2' }])
    },
  )

  test('a call that is refused leaves the session as it is', async () => {
    const { url, transports } = await sessions(404, { tools: [tool('act', reading)] })
    const refusing: typeof fetch = async (input, init) =>
      String(init?.body).includes('tools/call') ? new Response('too long', { status: 413 }) : fetch(input, init)
    const mcp = await connectMcp({ servers: { box: { url, fetch: refusing } } })
    opened.unshift(mcp)
    expect(await resultsOf(mcp.tools, [act])).toMatchObject([
      { outcome: 'error', code: 'mcp.protocol', output: expect.stringContaining('too long') },
    ])
    expect(transports.size).toBe(1)
  })

  test.each([['ftp://a.example'], ['no url']])('%s is no address', async (url) => {
    expect(await failureOf(connectMcp({ servers: { box: { url } } }))).toMatchObject({ code: 'config.invalid' })
  })
})
