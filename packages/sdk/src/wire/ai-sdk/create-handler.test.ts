import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { PageMessage } from '../../../test/fixtures/ai-pages.ts'
import { chunksOf, HOST, stopped, user, world } from '../../../test/fixtures/ai-sdk-world.ts'
import { stateWhere } from '../../testing/agent-world.ts'
import { hold } from '../../testing/recording-server.ts'

describe('a request that is wrong', () => {
  it.each([
    ['no message', { messages: [] }, '400 wire.bad-request'],
    ['a message of nobody', { messages: [{ id: 'x', role: 'system', parts: [] }] }, '400 wire.bad-request'],
    ['nothing said', { messages: [user('u1', ' ')] }, '400 input.empty'],
    ['an id that is none', { messages: [user('', 'Hi')] }, '400 wire.bad-request'],
    ['a file of another scheme', { messages: [file('file:///etc/passwd')] }, '400 wire.bad-request'],
    ['a file of another chat', { messages: [file('/api/chat/other/blobs/aa')] }, '400 wire.bad-request'],
    ['a file that is no base64', { messages: [file('data:image/png;base64,*')] }, '400 wire.bad-request'],
    ['a file that is too large', { messages: [file(`data:image/png,${'x'.repeat(2_000)}`)] }, '413 input.too-large'],
    ['a file of a type that is not taken', { messages: [file('data:,x', 'text/html')] }, '415 wire.content-type'],
    ['a trigger that is none', { trigger: 'resume', messages: [user('u1', 'Hi')] }, '400 wire.bad-request'],
    [
      'nothing to continue',
      { messages: [{ id: 'a', role: 'assistant', parts: [] }] },
      '409 session.nothing-to-continue',
    ],
  ])('%s', async (_, body, expected) => {
    const uploads = { maxBytes: 1_000, mediaTypes: ['image/*'] }
    const { post, error, model } = world(['Hello.'], {}, { uploads })
    expect(await error(await post([], body))).toBe(expected)
    expect(model.requests).toEqual([])
  })

  it('of nobody, and of somebody else, comes to nothing', async () => {
    const { post, ask, served, error } = world(['Hello.'])
    await chunksOf(await post([user('u1', 'Hi')]))
    const anonymous = await served.fetch(new Request(`${HOST}/api/chat`, { method: 'POST' }))
    expect(await error(anonymous)).toBe('401 wire.unauthorized')
    const eve = { id: 'chat', trigger: 'submit-message', messages: [user('u2', 'Me')] }
    const answers = [
      ask('POST', '', eve, 'eve'),
      ask('POST', '/chat/stop', undefined, 'eve'),
      ask('GET', '/chat/messages', undefined, 'eve'),
    ]
    for (const response of await Promise.all(answers)) expect(await error(response)).toBe('404 session.not-found')
    const foreign = new Request(`${HOST}/api/chat/chat/stop`, {
      method: 'POST',
      headers: { authorization: 'ada', origin: 'https://evil.test' },
    })
    expect(await error(await served.fetch(foreign))).toBe('403 wire.origin')
  })

  it('is refused when the options cannot work', () => {
    expect(() => world([], {}, { aiVersion: 5 as 6 })).toThrow('aiVersion has to be 6 or 7')
  })
})

function file(url: string, mediaType = 'image/png'): PageMessage {
  return user('u1', 'Look', { type: 'file', mediaType, url })
}

describe('a server whose routes cannot be loaded', () => {
  async function answered(why: string) {
    vi.doMock('./replies.ts', () => {
      throw new Error(why)
    })
    onTestFinished(() => void vi.doUnmock('./replies.ts'))
    const logged: unknown[] = []
    const { post } = world(['Hello.'], { logger: { log: (...entry) => logged.push(entry) } })
    const response = await post([user('u1', 'Hi')])
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    vi.doUnmock('./replies.ts')
    const again = (await post([user('u1', 'Hi')])).status
    return { status: response.status, error, logged, again }
  }

  it('says what to install where zod is missing, in the response and in the log, and no path', async () => {
    const why = "Cannot find package 'zod' imported from /srv/secret/node_modules/@stepwell/sdk/dist/replies.js"
    const { status, error, logged, again } = await answered(why)
    const message = expect.stringMatching(/createAISDKHandler needs .*npm install zod@4$/)
    expect({ status, error }).toEqual({ status: 500, error: { code: 'tool.missing-zod', message, retryable: false } })
    expect(logged).toEqual([['error', message, { error: expect.stringContaining(why) }]])
    expect(again, 'installed meanwhile').toBe(200)
  })

  it('tells of anything else only its log', async () => {
    const { status, error, logged } = await answered('The disk /srv/zod is full')
    expect({ status, code: error.code, message: error.message }).toEqual({
      status: 500,
      code: 'internal',
      message: 'The server failed.',
    })
    expect(logged).toEqual([
      ['error', 'A request failed', { error: expect.stringContaining('The disk /srv/zod is full') }],
    ])
  })
})

describe('a response that lasts', () => {
  it('says that it lives', async () => {
    const { post, clock } = world([{ text: 'x', beforeEnd: stopped }], {}, { heartbeatMs: 1_000 })
    const reader = (await post([user('u1', 'Hi')])).body?.pipeThrough(new TextDecoderStream()).getReader()
    clock.advance(1_000)
    let text = ''
    while (!text.includes(': ping')) text += (await reader?.read())?.value ?? ''
    await reader?.cancel()
  })

  it('does not stop the run when its page leaves', async () => {
    const gate = hold()
    const { post, chat } = world([{ text: 'All.', beforeEnd: () => gate.opened }])
    await (await post([user('u1', 'Hi')])).body?.cancel()
    gate.open()
    const { lastFinish } = await stateWhere(await chat(), ({ run }) => run === undefined)
    expect(lastFinish?.reason).toBe('stop')
  })

  it('ends when the server closes, and says so', async () => {
    const { post, served } = world([{ text: 'x', beforeEnd: stopped }])
    const response = await post([user('u1', 'Hi')])
    await served.close({ drainMs: 0 })
    expect((await chunksOf(response)).at(-1)).toMatchObject({ type: 'error' })
  })
})
