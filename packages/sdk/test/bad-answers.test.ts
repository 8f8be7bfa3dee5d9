import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AgentEvent } from '../src/index.ts'
import { ofType } from '../src/testing/agent-world.ts'
import { type RecordingServer, type Reply, recordingServer } from '../src/testing/index.ts'
import {
  agentAt,
  answer,
  ask,
  expectNothingOpen,
  expectUsable,
  refuseUnhandledRejections,
  SECRET,
} from './fixtures/bad-input.ts'

refuseUnhandledRejections()

interface Row {
  readonly name: string
  readonly reply: Reply
  readonly code: string
  readonly says: RegExp
  /** Attempts in all. Default 1: it is not worth a retry. */
  readonly tries?: number
  /** The waits between them, in ms. Default: the exponential ones. */
  readonly waits?: readonly number[]
  readonly retryable?: boolean
}

const said = (status: number, error: object, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ error }),
})

const html = (status: number, title: string): Reply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<!doctype html><html><head><style>h1 { color: red }</style></head><body><h1>${title}</h1></body></html>`,
})

const rows: readonly Row[] = [
  {
    name: '404: the model is unknown',
    reply: said(404, { message: 'The model `gpt-nope` does not exist', code: 'model_not_found' }),
    code: 'provider.not-found',
    says: /gpt-nope/,
  },
  {
    name: '401: the key is wrong, and the server repeats it',
    reply: said(401, { message: `Incorrect API key provided: ${SECRET}`, code: 'invalid_api_key' }),
    code: 'provider.auth',
    says: /^Incorrect API key provided: \[redacted\]$/,
  },
  { name: '401 without a word', reply: { status: 401 }, code: 'provider.auth', says: /HTTP 401.*API key/ },
  {
    name: '403',
    reply: said(403, { message: 'Your project has no access to this model' }),
    code: 'provider.auth',
    says: /no access/,
  },
  {
    name: '413 with a reason',
    reply: said(413, { message: 'Request exceeds the maximum size' }),
    code: 'provider.too-large',
    says: /maximum size/,
  },
  {
    name: '422',
    reply: said(422, { message: 'temperature: must be at most 2' }),
    code: 'provider.bad-request',
    says: /temperature/,
  },
  {
    name: '429',
    reply: said(429, { message: 'Slow down' }),
    code: 'provider.rate-limited',
    says: /Slow down/,
    tries: 3,
  },
  {
    name: '429 with Retry-After',
    reply: said(429, { message: 'Slow down' }, { 'retry-after': '7' }),
    code: 'provider.rate-limited',
    says: /Slow down/,
    tries: 3,
    waits: [7_000, 7_000],
  },
  {
    name: '429 with a Retry-After of hours',
    reply: said(429, { message: 'Come back tomorrow' }, { 'retry-after': '18000' }),
    code: 'provider.rate-limited',
    says: /tomorrow/,
    retryable: true,
  },
  {
    name: '429: the quota is used up',
    reply: said(429, { message: 'You exceeded your current quota', code: 'insufficient_quota' }),
    code: 'provider.quota',
    says: /quota/,
  },
  { name: '500', reply: said(500, { message: 'Oops' }), code: 'provider.overloaded', says: /Oops/, tries: 3 },
  { name: '502 in HTML', reply: html(502, 'Bad gateway'), code: 'provider.overloaded', says: /Bad gateway/, tries: 3 },
  { name: '503 without a word', reply: { status: 503 }, code: 'provider.overloaded', says: /HTTP 503/, tries: 3 },
  {
    name: '529',
    reply: said(529, { message: 'Overloaded' }),
    code: 'provider.overloaded',
    says: /Overloaded/,
    tries: 3,
  },
  {
    name: 'the address of a web site: HTML with 200',
    reply: html(200, 'Welcome'),
    code: 'provider.protocol',
    says: /no event stream.*base URL/i,
  },
  {
    name: 'the address of a web site: HTML with 404',
    reply: html(404, 'Nothing here'),
    code: 'provider.not-found',
    says: /Nothing here.*base URL/i,
  },
  {
    name: 'the address of another service: JSON',
    reply: { headers: { 'content-type': 'application/json' }, body: '{"status":"up"}' },
    code: 'provider.protocol',
    says: /base URL.*"status"/i,
  },
  {
    name: 'the address of another service: text',
    reply: { headers: { 'content-type': 'text/plain' }, body: 'It works!' },
    code: 'provider.protocol',
    says: /base URL.*It works!/i,
  },
  {
    name: 'a redirect',
    reply: { status: 302, headers: { location: 'http://elsewhere.invalid/?key=1' } },
    code: 'provider.protocol',
    says: /elsewhere\.invalid.*baseURL/,
  },
  {
    name: 'a stream of frames that are no JSON',
    reply: { body: 'data: <oops>\n\n' },
    code: 'provider.protocol',
    says: /<oops>/,
  },
  {
    name: 'an error inside the stream',
    reply: { body: `data: ${JSON.stringify({ error: { message: `bad key ${SECRET}`, code: 401 } })}\n\n` },
    code: 'provider.auth',
    says: /bad key \[redacted\]/,
  },
  {
    name: 'a frame that is no JSON and echoes the key',
    reply: { body: `data: <oops ${SECRET}>\n\n` },
    code: 'provider.protocol',
    says: /<oops \[redacted\]>/,
  },
  { name: 'a stream without content', reply: {}, code: 'provider.stream-truncated', says: /broke off/, tries: 3 },
  {
    name: 'a connection that is reset',
    reply: { cutAfter: 0 },
    code: 'provider.unreachable',
    says: /cannot be reached/,
    tries: 3,
  },
]

describe('a server that answers with', () => {
  let server: RecordingServer
  let reply: Reply

  beforeEach(async () => {
    server = await recordingServer(() => reply)
  })
  afterEach(() => server.close())

  test.each(rows)('$name', async (row) => {
    const { code, says, tries = 1, waits = tries === 1 ? [] : [1_000, 2_000] } = row
    const { agent, clock } = agentAt(server.url)
    const session = await agent.session('s')
    reply = row.reply
    const { result, events } = await ask(session, clock)

    const retryable = row.retryable ?? tries > 1
    expect(result).toMatchObject({ reason: 'error', recorded: true, text: '', error: { code, retryable } })
    expect(result.error?.message).toMatch(says)
    expect(JSON.stringify([result, events])).not.toContain(SECRET)
    expect(server.requests.length).toBe(tries)
    expect(waitsIn(events)).toEqual(waits)
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'error', error: result.error })
    expectNothingOpen(events, session.state)
    expect(session.state.history.map(({ role }) => role)).toEqual(['user'])

    reply = answer('Fine.')
    await expectUsable(session)
    await agent.close()
    expect(clock.pending).toBe(0)
  })
})

function waitsIn(events: readonly AgentEvent[]): number[] {
  return ofType(events, 'activity').flatMap(({ activity }) => (activity?.kind === 'retrying' ? [activity.delayMs] : []))
}
