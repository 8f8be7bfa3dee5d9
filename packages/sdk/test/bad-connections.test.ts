import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { OpenAIOptions } from '../src/providers/openai-chat/index.ts'
import { recordingServer } from '../src/testing/index.ts'
import {
  agentAt,
  answer,
  ask,
  expectNothingOpen,
  expectUsable,
  refuseUnhandledRejections,
  SECRET,
} from './fixtures/bad-input.ts'
import { selfSigned } from './fixtures/self-signed.ts'

refuseUnhandledRejections()

const servers: Server[] = []

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
})

async function listening(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** A port that answered a moment ago and does not any more. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

interface Row {
  readonly name: string
  readonly baseURL: () => string | Promise<string>
  readonly code: string
  readonly says: RegExp
  /** Attempts in all. Default 1: it is not worth a retry. */
  readonly tries?: number
}

const rows: readonly Row[] = [
  { name: 'that is none', baseURL: () => 'not a url', code: 'config.invalid', says: /base URL.*Set baseURL/ },
  { name: 'that is empty', baseURL: () => '', code: 'config.invalid', says: /Set baseURL/ },
  { name: 'without a scheme', baseURL: () => 'api.openai.com/v1', code: 'config.invalid', says: /Set baseURL/ },
  { name: 'of a file', baseURL: () => 'file:///v1', code: 'config.invalid', says: /Set baseURL/ },
  {
    name: 'with a password in it',
    baseURL: () => `https://me:${SECRET}@127.0.0.1:1/v1`,
    code: 'config.invalid',
    says: /password.*headers/,
  },
  {
    name: 'where nobody listens',
    baseURL: async () => `http://127.0.0.1:${await closedPort()}/v1`,
    code: 'provider.unreachable',
    says: /http:\/\/127\.0\.0\.1:\d+ cannot be reached\. Check the address.*ECONNREFUSED/,
    tries: 3,
  },
  {
    name: 'whose name nobody knows',
    baseURL: () => 'http://stepwell.invalid/v1',
    code: 'provider.unreachable',
    says: /http:\/\/stepwell\.invalid cannot be reached\. Check the address.*(ENOTFOUND|EAI_AGAIN)/,
    tries: 3,
  },
  {
    name: 'whose certificate nobody vouches for',
    baseURL: async () => `https://127.0.0.1:${await listening(createHttpsServer(selfSigned()))}/v1`,
    code: 'provider.tls',
    says: /No secure connection to https:.*Check its certificate.*SELF_SIGNED/,
  },
  {
    name: 'that is https, of a server that is http',
    baseURL: async () => `https://127.0.0.1:${await listening(createHttpServer())}/v1`,
    code: 'provider.tls',
    says: /No secure connection to https:.*that it speaks https/,
  },
  {
    name: 'that is http, of a server that is https',
    baseURL: async () => `http://127.0.0.1:${await listening(createHttpsServer(selfSigned()))}/v1`,
    code: 'provider.unreachable',
    says: /cannot be reached\. Check the address/,
    tries: 3,
  },
]

describe('an address', () => {
  test.each(rows)('$name', async ({ baseURL, code, says, tries = 1 }) => {
    const { agent, clock } = agentAt(await baseURL())
    const session = await agent.session('s')
    const { result, events } = await ask(session, clock)
    expect(result).toMatchObject({ reason: 'error', recorded: true, error: { code, retryable: tries > 1 } })
    expect(result.error?.message).toMatch(says)
    expect(JSON.stringify([result, events])).not.toContain(SECRET)
    expect(events.filter(({ type }) => type === 'turn-start').length).toBe(tries)
    expectNothingOpen(events, session.state)
    await agent.close()
    expect(clock.pending).toBe(0)
  })
})

describe('a key', () => {
  const failing = async (headers: OpenAIOptions['headers'] & object) => {
    const server = await recordingServer([answer('Fine.')])
    let now: typeof headers = headers
    const { agent, clock } = agentAt(server.url, {
      openai: { apiKey: '', headers: () => (typeof now === 'function' ? now() : now) },
    })
    const session = await agent.session('s')
    const { result, events } = await ask(session, clock)
    expect(result).toMatchObject({ reason: 'error', recorded: true })
    expect(server.requests, 'nothing is sent').toEqual([])
    expect(JSON.stringify([result, events])).not.toContain(SECRET)
    expectNothingOpen(events, session.state)
    now = { authorization: 'Bearer good' }
    await expectUsable(session)
    await agent.close()
    await server.close()
    return result
  }

  test('that is missing, until it is there', async () => {
    const server = await recordingServer([answer('Fine.')])
    const { agent, clock } = agentAt('https://api.openai.com/v1', {
      openai: { apiKey: ' ', fetch: (_url, init) => fetch(server.url, init) },
    })
    const session = await agent.session('s')
    vi.stubEnv('OPENAI_API_KEY', '')
    const { result, events } = await ask(session, clock)
    const error = { code: 'config.missing-key', retryable: false }
    expect(result).toMatchObject({ reason: 'error', recorded: true, error })
    expect(result.error?.message).toMatch(/Set OPENAI_API_KEY, or pass apiKey/)
    expect(server.requests, 'nothing is sent').toEqual([])
    expectNothingOpen(events, session.state)
    vi.stubEnv('OPENAI_API_KEY', 'good')
    await expectUsable(session)
    await agent.close()
    await server.close()
  })

  test('with a line break inside', async () => {
    const result = await failing({ authorization: `Bearer ${SECRET}\nx` })
    expect(result.error).toMatchObject({
      code: 'config.invalid',
      message: expect.stringMatching(/line breaks.*API key/),
    })
  })

  test('from a function that fails', async () => {
    const result = await failing(() => Promise.reject(new Error('token server is down')))
    expect(result.error).toMatchObject({
      code: 'provider.auth',
      message: expect.stringMatching(/token server is down/),
    })
  })
})
