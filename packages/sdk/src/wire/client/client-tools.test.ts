import { afterEach, describe, expect, it, vi } from 'vitest'
import { clientWorld, closeAll, gate, quiet, until } from '../../../test/fixtures/client-world.ts'
import { results } from '../../testing/agent-world.ts'
import { defineTool } from '../../tools/define-tool.ts'

afterEach(closeAll)

const schema = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] } as const
const declared = defineTool({ name: 'locate', description: 'Where the person is', input: schema })
const call = (input: object = { place: 'here' }) => ({ calls: [{ name: 'locate', input: input as { place: string } }] })
const locate = (execute: (input: { place?: unknown }, ctx: { signal: AbortSignal }) => unknown) =>
  defineTool({ name: 'locate', description: '', input: schema, execute: (input, ctx) => execute(input, ctx) })
const world = (...steps: Parameters<typeof clientWorld>[0]) => clientWorld(steps, { agent: { tools: [declared] } })

describe('a tool of the client', () => {
  it('runs where the session asks for it, and its output is the result', async () => {
    const { client } = world(call(), 'You are in Oslo.')
    const session = client.session('s', { tools: [locate(({ place }) => ({ city: 'Oslo', place }))] })
    expect(await session.run('Where am I?').text()).toBe('You are in Oslo.')
    expect(results(session.state)).toMatchObject([{ outcome: 'ok', output: { city: 'Oslo', place: 'here' } }])
  })

  it('that throws answers with why', async () => {
    const { client } = world(call(), 'Sorry.')
    const tool = locate(() => {
      throw new Error('Permission denied')
    })
    const session = client.session('s', { tools: [tool] })
    await session.run('Where?').result
    expect(results(session.state)).toMatchObject([
      { outcome: 'error', output: expect.stringContaining('Permission denied') },
    ])
  })

  it('gets only what fits its own schema', async () => {
    const execute = vi.fn()
    const { client } = world(call({ place: 'here' }), 'Sorry.')
    const stricter = defineTool({
      name: 'locate',
      description: '',
      input: { type: 'object', properties: { place: { enum: ['there'] } } },
      execute,
    })
    const session = client.session('s', { tools: [stricter] })
    await session.run('Where?').result
    expect(execute).not.toHaveBeenCalled()
    expect(results(session.state)).toMatchObject([{ outcome: 'error', output: expect.stringContaining('schema') }])
  })

  it('answers what was asked before the page was loaded', async () => {
    const { client, connect } = world(call(), 'There.')
    const before = client.session('s')
    const run = before.run('Where?')
    await until(() => before.state.status === 'waiting')
    const after = connect().session('s', { tools: [locate(() => 'found')] })
    expect(await run.text()).toBe('There.')
    await until(() => after.state.status === 'idle')
    expect(results(after.state)).toMatchObject([{ output: 'found' }])
  })

  it('runs once, whatever comes in between and however many handles have it', async () => {
    const { open: answer, wait } = gate<string>()
    const execute = vi.fn(wait)
    const { client } = world(call(), 'Done.')
    const session = client.session('s', { tools: [locate(execute)] })
    client.session('s', { tools: [locate(execute)] })
    const run = session.run('Where?')
    await until(() => execute.mock.calls.length > 0)
    await session.update({ title: 'Meanwhile' })
    await quiet()
    answer('once')
    await run.result
    expect(execute).toHaveBeenCalledTimes(1)
    expect(results(session.state)).toMatchObject([{ output: 'once' }])
  })

  it('in two pages: the first answer counts, the other is told by its signal', async () => {
    const { open: answer, wait } = gate<string>()
    let stopped = false
    const { client, connect } = world(call(), 'Done.')
    const session = client.session('s', {
      tools: [locate(wait)],
    })
    const slow = locate((_input, { signal }) => {
      signal.addEventListener('abort', () => {
        stopped = true
      })
      return new Promise(() => {})
    })
    const other = connect().session('s', { tools: [slow] })
    const run = session.run('Where?')
    await until(() => session.state.status === 'waiting' && other.state.status === 'waiting')
    await quiet()
    answer('first')
    await run.result
    await until(() => stopped)
    expect(results(session.state)).toMatchObject([{ output: 'first' }])
  })

  it('is left to others when its handle is closed', async () => {
    const aborted: unknown[] = []
    const { client } = world(call(), 'Done.')
    const slow = locate((_input, { signal }) => {
      signal.addEventListener('abort', () => aborted.push(1))
      return new Promise(() => {})
    })
    const session = client.session('s', { tools: [slow] })
    const reading = client.session('s')
    const run = reading.run('Where?')
    await until(() => reading.state.status === 'waiting')
    await quiet()
    await session.close()
    expect(aborted).toEqual([1])
    client.session('s', { tools: [locate(() => 'taken over')] })
    await run.result
    expect(results(reading.state)).toMatchObject([{ output: 'taken over' }])
  })

  it('is left to a handle that is open already, and to none that closes with it', async () => {
    const ran: string[] = []
    const { client } = world(call(), 'Done.')
    const stuck = (name: string) =>
      locate(() => {
        ran.push(name)
        return new Promise(() => {})
      })
    const handles = [
      client.session('s', { tools: [stuck('first')] }),
      client.session('s', { tools: [stuck('second')] }),
    ]
    await quiet()
    client.session('s', { tools: [locate(() => 'taken over')] })
    await quiet()
    const run = client.session('s').run('Where?')
    await until(() => ran.length > 0)
    for (const handle of handles) void handle.close()
    expect((await run.result).text).toBe('Done.')
    expect(ran).toEqual(['first'])
  })

  it('sends its answer again until it arrives, without running again', async () => {
    const execute = vi.fn(() => 'kept')
    const { client, server, clock } = world(call(), 'Done.')
    const session = client.session('s', { tools: [locate(execute)] })
    let failures = 0
    server.interrupt = (request) =>
      request.url.endsWith('/commands') && execute.mock.calls.length > 0 && failures++ < 8
        ? new TypeError('down')
        : undefined
    const run = session.run('Where?')
    for (let i = 1; i <= 8; i++) {
      await until(() => failures >= i && clock.pending > 0)
      clock.advance(30_000)
      await quiet()
    }
    expect(await run.text()).toBe('Done.')
    expect(execute).toHaveBeenCalledTimes(1)
  })

  it('cannot share its name with another', () => {
    const { client } = world()
    expect(() => client.session('s', { tools: [locate(() => 1), locate(() => 2)] })).toThrow('Two tools')
  })
})
