import { describe, expect, it } from 'vitest'
import { framesUntil, HOST, hasFinish, say, world } from '../../../test/fixtures/server-world.ts'
import { reduce } from '../../protocol/reduce.ts'
import { initialState } from '../../protocol/state.ts'
import { sseFrames } from '../../testing/sse.ts'

describe('a session over the wire', () => {
  it('is created, talked to, followed, read, forked and deleted', async () => {
    const { ask, json, agent } = world(['Hello Ada.'])
    expect((await json('POST', '/sessions', { id: 's', title: 'One' })).status).toBe(201)
    const stream = await ask('GET', '/sessions/s/events')
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    expect(stream.headers.get('cache-control')).toBe('no-store, no-transform')
    expect(stream.headers.get('x-accel-buffering')).toBe('no')
    const { status, body } = await json('POST', '/sessions/s/commands', say('Hi', 'in-1'))
    expect([status, body.receipt.status, body.receipt.runId]).toEqual([200, 'started', 'run_in-1'])

    const frames = await framesUntil(sseFrames(stream), hasFinish)
    let state = initialState('s')
    let head = 0
    for (const frame of frames) {
      expect(frame.prev).toBe(head)
      head = frame.head ?? 0
      expect(frame.eventId).toBe(String(head))
      state = reduce(state, frame.events ?? [])
    }
    expect(state).toEqual((await agent.session('s')).state)

    const snapshot = await json('GET', '/sessions/s')
    expect(snapshot.body.state).toEqual(state)
    expect(snapshot.body.seq).toBe(state.seq)
    expect(snapshot.body.row).toMatchObject({ id: 's', title: 'One', principal: 'ada' })

    const forked = await json('POST', '/sessions/s/fork', { id: 'f', toMessageId: 'in-1' })
    expect([forked.status, forked.body.session.id, forked.body.session.principal]).toEqual([201, 'f', 'ada'])
    const list = await json('GET', '/sessions?limit=10')
    expect(list.body.items.map(({ id }: { id: string }) => id).sort()).toEqual(['f', 's'])
    expect((await json('DELETE', '/sessions/s')).status).toBe(204)
    expect((await json('GET', '/sessions/s')).body.error.code).toBe('session.not-found')
  })

  it('says who asked, and takes no other name', async () => {
    const { json, agent } = world(['Hello.'])
    await json('POST', '/sessions', { id: 's', principal: 'eve' })
    await json('POST', '/sessions/s/commands', { ...say('Hi', 'in-1'), by: 'eve', at: 1 })
    const session = await agent.session('s')
    await session.follow('run_in-1').result
    expect(session.state.row.principal).toBe('ada')
    expect(session.state.history[0]).toMatchObject({ by: 'ada', id: 'in-1' })
  })

  it('gives older messages in pages', async () => {
    const { json, agent } = world([], {}, { expose: ['history'] })
    const history = Array.from({ length: 450 }, (_, i) => ({
      role: 'user',
      id: `m${i}`,
      at: i,
      parts: [{ type: 'text', text: String(i) }],
    }))
    await json('POST', '/sessions', { id: 's', history })
    const { body } = await json('GET', '/sessions/s')
    expect([body.state.history.length, body.before]).toEqual([200, 'm250'])
    const older = await json('GET', `/sessions/s/messages?before=${body.before}`)
    expect([older.body.messages.length, older.body.before]).toEqual([200, 'm50'])
    const oldest = await json('GET', '/sessions/s/messages?before=m50')
    expect([oldest.body.messages.length, oldest.body.messages[0].id, oldest.body.before]).toEqual([50, 'm0', undefined])
    expect((await agent.session('s')).state.history).toHaveLength(450)
    expect((await json('GET', '/sessions/s/messages?before=nobody')).status).toBe(404)
  })

  it('answers a repeated command with the same receipt, and other content of that id with a conflict', async () => {
    const { json, model } = world(['Hello.'])
    await json('POST', '/sessions', { id: 's' })
    const first = await json('POST', '/sessions/s/commands', say('Hi', 'in-1'))
    const again = await json('POST', '/sessions/s/commands', say('Hi', 'in-1'))
    expect(again.body.receipt).toMatchObject({ commandId: 'in-1', runId: first.body.receipt.runId })
    const other = await json('POST', '/sessions/s/commands', say('Bye', 'in-1'))
    expect([other.status, other.body.error.code]).toEqual([409, 'session.conflict'])
    expect(model.requests.length).toBeLessThan(2)
  })

  it('tells of a refused command in its receipt', async () => {
    const { json } = world([])
    await json('POST', '/sessions', { id: 's' })
    const { status, body } = await json('POST', '/sessions/s/commands', { id: 'c', type: 'compact' })
    expect([status, body.receipt.status, body.receipt.error.code]).toEqual([200, 'refused', 'session.not-supported'])
  })

  it('takes settings of runs only where they are exposed', async () => {
    const { json, agent } = world(['Hello.'], {}, { expose: ['metadata'] })
    await json('POST', '/sessions', { id: 's' })
    const refused = await json(
      'POST',
      '/sessions/s/commands',
      say('Hi', 'in-1', { options: { metadata: { a: 1 }, maxTurns: 3, model: 'gpt' } }),
    )
    expect([refused.status, refused.body.error]).toEqual([
      400,
      expect.objectContaining({ code: 'wire.not-exposed', details: { options: ['maxTurns', 'model'] } }),
    ])
    await json('POST', '/sessions/s/commands', say('Hi', 'in-2', { options: { metadata: { a: 1 } } }))
    const session = await agent.session('s')
    for await (const event of session.follow('run_in-2')) {
      if (event.type === 'run-start') expect(event.config.metadata).toEqual({ a: 1 })
    }
    const history = await json('POST', '/sessions', { id: 't', history: [] })
    expect(history.body.error.code).toBe('wire.not-exposed')
  })

  it('stores bytes and gives them back as bytes to save', async () => {
    const { served, json } = world([], {}, { uploads: { maxBytes: 100, mediaTypes: ['image/*'] } })
    await json('POST', '/sessions', { id: 's' })
    const upload = (type: string, bytes: Uint8Array<ArrayBuffer>, query = '') =>
      served.fetch(
        new Request(`${HOST}/sessions/s/blobs${query}`, {
          method: 'POST',
          headers: { authorization: 'ada', 'content-type': type },
          body: bytes,
        }),
      )
    const stored = await upload('image/png', new Uint8Array([1, 2, 3]), '?name=a.png')
    const { blob, mediaType, name } = await stored.json()
    expect([stored.status, mediaType, name, blob.size]).toEqual([201, 'image/png', 'a.png', 3])
    const got = await served.fetch(
      new Request(`${HOST}/sessions/s/blobs/${blob.sha256}`, { headers: { authorization: 'ada' } }),
    )
    expect(new Uint8Array(await got.arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]))
    expect(got.headers.get('content-disposition')).toBe('attachment')
    expect(got.headers.get('x-content-type-options')).toBe('nosniff')
    expect(got.headers.get('cache-control')).toContain('private')
    expect((await upload('text/html', new Uint8Array([1]))).status).toBe(415)
    expect((await upload('image/png', new Uint8Array(101))).status).toBe(413)
  })
})
