import { describe, expect, it } from 'vitest'
import { type PageMessage, readChunks } from '../../../test/fixtures/ai-pages.ts'
import {
  chunksOf,
  input,
  pay,
  stopped,
  textsOf,
  toolsOf,
  user,
  weather,
  world,
} from '../../../test/fixtures/ai-sdk-world.ts'
import { stateWhere, type WorldOptions } from '../../testing/agent-world.ts'
import { hold } from '../../testing/recording-server.ts'
import { providerFailure } from '../../testing/scripted-model.ts'
import { defineTool } from '../../tools/define-tool.ts'

describe('a page that comes back', () => {
  it('is told that nothing runs, also where there is no session, or none of its own', async () => {
    const { post, ask } = world(['Hello.'])
    await chunksOf(await post([user('u1', 'Hi')]))
    const statuses = [
      ask('GET', '/chat/stream'),
      ask('GET', '/none/stream'),
      ask('GET', '/chat/stream', undefined, 'eve'),
    ]
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([204, 204, 204])
  })

  it('gets the whole message, then what follows', async () => {
    const gate = hold()
    const { post, ask, chat } = world(
      [
        { text: 'Look.', calls: [{ name: 'weather' }] },
        { text: 'Very cold.', beforeEnd: () => gate.opened },
      ],
      { tools: [weather] },
    )
    const first = await post([user('u1', 'Weather?')])
    await stateWhere(await chat(), ({ pending, run }) => run?.turn === 2 && pending.message?.parts[0] !== undefined)
    const resumed = await ask('GET', '/chat/stream')
    gate.open()
    const chunks = await chunksOf(resumed)
    // Its tool was run: a page that carries calls out has nothing to do.
    expect(chunks.map(({ type }) => type)).not.toContain('tool-input-available')
    const { parts, ...message } = await readChunks(6, await chunksOf(first))
    expect(await readChunks(6, chunks)).toEqual({ ...message, parts })
  })

  it('gets what was asked and not answered, and can answer it', async () => {
    const { post, ask } = world([{ calls: [{ name: 'pay' }] }, 'Done.'], { tools: [pay] })
    const asked = await readChunks(6, await chunksOf(await post([user('u1', 'Pay')])))
    expect(await readChunks(6, await chunksOf(await ask('GET', '/chat/stream')))).toEqual(asked)
    const { messages } = (await (await ask('GET', '/chat/messages')).json()) as { messages: PageMessage[] }
    expect(messages[1]?.parts).toEqual(
      toolsOf(asked).length === 1
        ? [{ type: 'step-start' }, expect.objectContaining({ state: 'approval-requested' })]
        : [],
    )
  })

  it('is not asked again and again for more when there is no more', async () => {
    const { post, error } = world([{ calls: [{ name: 'weather' }] }], { tools: [weather], maxTurns: 1 })
    const chunks = await chunksOf(await post([user('u1', 'Weather?')]))
    expect(chunks.slice(-3).map(({ type }) => type)).toEqual(['start-step', 'finish-step', 'finish'])
    const message = await readChunks(6, chunks)
    expect(await error(await post([user('u1', 'Weather?'), message]))).toBe('409 session.nothing-to-continue')
  })
})

it('stops the run, which ends the response', async () => {
  const { post, ask } = world([{ text: 'One two', beforeEnd: stopped }])
  const response = await post([user('u1', 'Count')])
  expect((await ask('POST', '/chat/stop')).status).toBe(204)
  const chunks = await chunksOf(response)
  expect(chunks.slice(-2)).toMatchObject([
    { type: 'abort' },
    { type: 'finish', messageMetadata: { finishReason: 'aborted' } },
  ])
  expect((await ask('POST', '/chat/stop')).status).toBe(204)
})

it('tells of an error in words, and of its code in the metadata', async () => {
  const { post } = world([{ text: 'Hel', error: providerFailure('provider.auth') }])
  const chunks = await chunksOf(await post([user('u1', 'Hi')]))
  expect(chunks.slice(-2)).toMatchObject([
    { type: 'message-metadata', messageMetadata: { finishReason: 'error', error: { code: 'provider.auth' } } },
    { type: 'error', errorText: 'scripted failure: provider.auth' },
  ])
})

describe('pages with ai 7', () => {
  it('see a reply that was begun again once', async () => {
    const options = { retries: { maxRetries: 1 } }
    const script = [
      { text: 'Hel', error: providerFailure('provider.overloaded', { retryable: true }) },
      'Good morning.',
    ]
    const { post, clock, chat } = world(script, options as WorldOptions, { aiVersion: 7 })
    const response = await post([user('u1', 'Hi')])
    const retrying = await stateWhere(await chat(), ({ live }) => live.activity?.kind === 'retrying')
    if (retrying.live.activity?.kind === 'retrying') clock.advance(retrying.live.activity.delayMs)
    const chunks = await chunksOf(response)
    expect(chunks).toContainEqual({ type: 'reset-step' })
    expect(textsOf(await readChunks(7, chunks))).toEqual(['Good morning.'])
  })

  it('see an answer that was given elsewhere', async () => {
    const gate = hold()
    const execute = async () => {
      await gate.opened
      return 'paid'
    }
    const slow = defineTool({ name: 'slow', description: '', input, execute })
    const { post, chat } = world(
      [{ calls: [{ name: 'pay' }, { name: 'slow' }] }, 'Done.'],
      { tools: [pay, slow] },
      { aiVersion: 7 },
    )
    const response = await post([user('u1', 'Pay')])
    const session = await chat()
    const { pending } = await stateWhere(session, ({ pending }) => pending.requests.length === 1)
    await session.resolve(pending.requests[0]?.id ?? '', 'allow-once')
    gate.open()
    const chunks = await chunksOf(response)
    expect(toolsOf(await readChunks(7, chunks))).toMatchObject([{ output: 'paid' }, { output: 'paid' }])
  })
})
