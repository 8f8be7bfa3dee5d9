import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectMcp, type Mcp } from '../src/mcp/index.ts'
import { stdio } from '../src/mcp/stdio.node.ts'
import type { AgentEvent } from '../src/protocol/events.ts'
import type { JsonObject } from '../src/protocol/json.ts'
import type { Resolution } from '../src/protocol/requests.ts'
import { agentWorld, ofType, results } from '../src/testing/agent-world.ts'
import { programOf, resultsOf } from './fixtures/mcp.ts'

const everything = programOf('@modelcontextprotocol/server-everything/dist/index.js')

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function serveHttp(port: number): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(port) }
  const child = spawn(process.execPath, [everything, 'streamableHttp'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  await once(child.stderr as NodeJS.ReadableStream, 'data')
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** One call in a run of its own: all that was seen of it, and its result. */
async function called(mcp: Mcp, name: string, input: JsonObject, answers: readonly Resolution[] = []) {
  const call = { name: `mcp__every__${name}`, input }
  const { session: open } = agentWorld([{ calls: [call] }, 'Done.'], { tools: mcp.tools })
  const session = await open()
  const events: AgentEvent[] = []
  const left = [...answers]
  for await (const event of session.run('Go.')) {
    events.push(event)
    if (event.type === 'request') await session.resolve(event.request.id, left.shift() ?? { skipped: true })
  }
  return { events, result: results(session.state)[0] }
}

function usesItAll(mcp: () => Mcp): void {
  test('its tools, with what it says about them', () => {
    const effects = Object.fromEntries(mcp().tools.map(({ name, effect }) => [name, effect]))
    expect(effects).toMatchObject({
      mcp__every__echo: 'read',
      'mcp__every__gzip-file-as-resource': 'idempotent',
      'mcp__every__trigger-elicitation-request': 'write',
    })
  })

  test('text, structured content, images, resources and links', async () => {
    const data = 'data:text/plain,hello'
    const given = await resultsOf(mcp().tools, [
      { name: 'mcp__every__get-sum', input: { a: 2, b: 3 } },
      { name: 'mcp__every__get-structured-content', input: { location: 'Chicago' } },
      { name: 'mcp__every__get-tiny-image' },
      { name: 'mcp__every__get-resource-reference', input: { resourceType: 'Text', resourceId: 1 } },
      { name: 'mcp__every__get-resource-links', input: { count: 1 } },
      { name: 'mcp__every__gzip-file-as-resource', input: { name: 'a.gz', data, outputType: 'resource' } },
      { name: 'mcp__every__get-sum', input: { a: 'two' } },
    ])
    expect(given).toMatchObject([
      { outcome: 'ok', output: 'The sum of 2 and 3 is 5.' },
      { outcome: 'ok', output: { conditions: expect.any(String), temperature: expect.any(Number) } },
      { outcome: 'ok', images: [{ mediaType: 'image/png', blob: { size: expect.any(Number) } }] },
      { outcome: 'ok', output: expect.stringMatching(/\[resource demo:\/\/resource\/dynamic\/text\/1\]\nResource 1/) },
      { outcome: 'ok', output: expect.stringMatching(/\[resource demo:\/\/resource\/\S+ \(.*text\/plain.*\)\]/) },
      { outcome: 'ok', artifacts: [{ name: 'a.gz', mediaType: 'application/gzip' }] },
      { outcome: 'error', code: 'tool.invalid-input' },
    ])
  })

  test('progress', async () => {
    const { events, result } = await called(mcp(), 'trigger-long-running-operation', { duration: 0.1, steps: 2 })
    expect(result).toMatchObject({ outcome: 'ok', output: expect.stringContaining('completed') })
    expect(ofType(events, 'tool-output').map(({ progress }) => progress)).toContainEqual({ done: 1, total: 2 })
  })

  test('cancellation', async () => {
    const name = 'mcp__every__trigger-long-running-operation'
    const call = { name, input: { duration: 3, steps: 60 } }
    const { session: open } = agentWorld([{ calls: [call] }], { tools: mcp().tools })
    const session = await open()
    const run = session.run('Take long.')
    for await (const { type } of run) if (type === 'tool-output') break
    await session.abort()
    expect((await run.result).reason).toBe('aborted')
    expect((await called(mcp(), 'echo', { message: 'still there' })).result?.output).toBe('Echo: still there')
  })

  test('questions to the person', async () => {
    const { events, result } = await called(mcp(), 'trigger-elicitation-request', {}, [
      { answers: { name: ['Ada'], check: ['Yes'] }, skipped: true },
      { answers: { integer: ['7'] }, skipped: true },
      { answers: { titledSingleSelectEnum: ['Wonder Woman'] }, skipped: true },
      { answers: { legacyTitledEnum: ['Reptiles'] } },
    ])
    expect(ofType(events, 'request').map(({ request }) => request.questions?.length)).toEqual([4, 4, 4, 1])
    const raw = String(result?.output).split('Raw result: ')[1] ?? ''
    expect(JSON.parse(raw)).toMatchObject({
      action: 'accept',
      content: { name: 'Ada', check: true, integer: 7, titledSingleSelectEnum: 'hero-3', legacyTitledEnum: 'pet-5' },
    })
  })
}

describe('server-everything over stdio', () => {
  let mcp: Mcp
  let pid = 0

  beforeAll(async () => {
    const server = stdio({ command: process.execPath, args: [everything, 'stdio'], env: { KEY: 'given' } })
    const transport = () => {
      const started = server.transport()
      const start = started.start.bind(started)
      started.start = async () => {
        await start()
        if (started instanceof StdioClientTransport) pid = started.pid ?? 0
      }
      return started
    }
    mcp = await connectMcp({ servers: { every: { ...server, transport } } })
  }, 60_000)

  usesItAll(() => mcp)

  test('its process gets the few variables it needs, and what it was given', async () => {
    const { result } = await called(mcp, 'get-env', {})
    const env = JSON.parse(String(result?.output))
    expect(env).toMatchObject({ KEY: 'given', PATH: expect.any(String) })
    expect(Object.keys(env)).not.toContain('VITEST')
  })

  test('closing leaves no process', async () => {
    expect(process.kill(pid, 0)).toBe(true)
    await mcp.close()
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})

describe('server-everything over streamable HTTP', () => {
  let http: ChildProcess
  let port = 0
  let mcp: Mcp

  beforeAll(async () => {
    port = await freePort()
    http = await serveHttp(port)
    mcp = await connectMcp({ servers: { every: { url: `http://127.0.0.1:${port}/mcp` } } })
  }, 60_000)

  afterAll(async () => {
    await mcp.close()
    await stop(http)
  })

  usesItAll(() => mcp)

  test('when it dies in a call its outcome is unknown; started again it is used again', async () => {
    const name = 'mcp__every__trigger-long-running-operation'
    const call = { name, input: { duration: 3, steps: 60 } }
    const { session: open } = agentWorld([{ calls: [call] }, 'Lost.'], { tools: mcp.tools })
    const session = await open()
    for await (const { type } of session.run('Take long.')) if (type === 'tool-output') await stop(http)
    expect(results(session.state)).toMatchObject([{ outcome: 'error', code: 'mcp.lost' }])
    http = await serveHttp(port)
    expect((await called(mcp, 'echo', { message: 'again' })).result?.output).toBe('Echo: again')
  })
})
