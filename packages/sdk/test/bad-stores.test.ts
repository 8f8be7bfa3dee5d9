import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SessionStore } from '../src/index.ts'
import { type SqliteStoreOptions, sqliteStore } from '../src/stores/sqlite/index.ts'
import { agentWorld, ofType, storedEvents, types } from '../src/testing/agent-world.ts'
import { type ManualClock, manualClock, type ScriptedStep } from '../src/testing/index.ts'
import { microtasks } from '../src/testing/microtasks.ts'
import { expectNothingOpen, expectUsable, refuseUnhandledRejections } from './fixtures/bad-input.ts'

refuseUnhandledRejections()

let folder = ''
let path = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stepwell-bad-stores-'))
  path = join(folder, 'agent.db')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Lets the wait before the next try pass as soon as an append failed. `onFailure` is told which failure it was. */
function hurried(store: SessionStore, clock: ManualClock, onFailure: (count: number) => void) {
  const failed: unknown[] = []
  const append: SessionStore['append'] = async (...args) => {
    try {
      return await store.append(...args)
    } catch (thrown) {
      onFailure(failed.push(thrown))
      void microtasks().then(() => clock.advance(2_000))
      throw thrown
    }
  }
  return { failed, store: { ...store, append } }
}

function world(
  steps: readonly ScriptedStep[],
  options: SqliteStoreOptions & { readonly onFailure?: (count: number) => void } = {},
) {
  const clock = manualClock(1_000_000)
  const pragmas = { busy_timeout: 0, ...options.pragmas }
  const sqlite = sqliteStore(path, { now: clock.now, pragmas })
  const { store, failed } = hurried(sqlite, clock, options.onFailure ?? (() => {}))
  return { ...agentWorld(steps, { clock, store }), failed }
}

describe('a path', () => {
  interface Row {
    readonly name: string
    readonly at: () => string
    readonly code: string
    readonly says: RegExp
    /** Sets it right. */
    readonly repair: () => void
  }
  const isFile = () => writeFileSync(path, 'Dear diary, this is not a database. '.repeat(100))

  test.each<Row>([
    {
      name: 'in a folder that does not exist',
      at: () => join(folder, 'missing', 'agent.db'),
      code: 'store.unwritable',
      says: /folder.*does not exist\. Create it/,
      repair: () => mkdirSync(join(folder, 'missing')),
    },
    {
      name: 'that is a folder',
      at: () => {
        mkdirSync(path)
        return path
      },
      code: 'store.unwritable',
      says: /path is a file in a folder/,
      repair: () => rmSync(path, { recursive: true }),
    },
    {
      name: 'below a file',
      at: () => {
        isFile()
        return join(path, 'agent.db')
      },
      code: 'store.unwritable',
      says: /folder/,
      repair: () => {
        rmSync(path)
        mkdirSync(path)
      },
    },
    {
      name: 'of a file that is no database',
      at: () => {
        isFile()
        return path
      },
      code: 'store.not-a-database',
      says: /no SQLite database\. Give sqliteStore a path of its own/,
      repair: () => rmSync(path),
    },
  ])('$name', async ({ at, code, says, repair }) => {
    const store = sqliteStore(at())
    const { agent, model, session } = agentWorld(['Fine.'], { store })
    const error = { code, retryable: false, message: expect.stringMatching(says) }
    await expect(session()).rejects.toMatchObject(error)
    await expect(agent.sessions()).rejects.toMatchObject(error)
    expect(await agent.run('Hello').result).toMatchObject({ reason: 'error', recorded: false, error })
    expect(model.requests).toEqual([])
    repair()
    await expectUsable(await session())
    await agent.close()
  })

  test('that may only be read', async () => {
    await world([]).agent.session('s')
    const { agent, model, session } = world([], { pragmas: { query_only: 1 } })
    await expect(session('new')).rejects.toMatchObject({ code: 'store.unwritable' })
    const opened = await session()
    const error = { code: 'store.unwritable', message: expect.stringMatching(/Check the permissions/) }
    expect(await opened.run('Hello').result).toMatchObject({ reason: 'error', recorded: false, error })
    expect(opened.state).toMatchObject({ status: 'idle', history: [] })
    expect(model.requests).toEqual([])
    await agent.close()
  })
})

describe('a database that another connection holds', () => {
  let other: Database.Database

  const lock = () => {
    other = new Database(path)
    other.exec('BEGIN EXCLUSIVE')
  }
  const letGo = () => other.exec('ROLLBACK')

  afterEach(() => other.close())

  test('refuses an input, and takes the next', async () => {
    const { agent, model, session, store } = world(['Fine.'])
    const opened = await session()
    lock()
    const error = {
      code: 'store.locked',
      retryable: true,
      message: expect.stringMatching(/Another process.*Try again/),
    }
    expect(await opened.run('Hello').result).toMatchObject({ reason: 'error', recorded: false, error })
    expect(model.requests).toEqual([])
    letGo()
    expect(types(await storedEvents(store))).toEqual(['session-created'])
    await expectUsable(opened)
    await agent.close()
  })

  test('for a moment, in the middle of a run, is asked again', async () => {
    const onFailure = (count: number) => count === 2 && letGo()
    const step = { text: 'Fine.', beforeEnd: async () => lock() }
    const { agent, session, failed, store } = world([step], { onFailure })
    const opened = await session()
    expect(await opened.run('Hello').result).toMatchObject({ reason: 'stop', text: 'Fine.', recorded: true })
    expect(failed.length).toBe(2)
    expectNothingOpen(await storedEvents(store), opened.state)
    await agent.close()
  })

  test('for long ends the run after five tries, and the next input closes what it left', async () => {
    const { agent, session, failed, store } = world([{ text: 'Lost.', beforeEnd: async () => lock() }, 'Fine.'])
    const opened = await session()
    const result = await opened.run('Hello').result
    expect(result).toMatchObject({ reason: 'error', recorded: false, error: { code: 'store.locked', retryable: true } })
    expect(failed.length).toBe(5)
    expect(opened.state.live.fault).toMatchObject({ code: 'store.locked' })
    letGo()
    expect(types(await storedEvents(store))).not.toContain('finish')

    await expectUsable(opened)
    const events = await storedEvents(store)
    expect(ofType(events, 'finish').map(({ reason }) => reason)).toEqual(['interrupted', 'stop'])
    expectNothingOpen(events, opened.state)
    await agent.close()
  })
})

describe('a database without room', () => {
  const small = { pragmas: { max_page_count: 60 } }
  const big = 'x'.repeat(1_000_000)

  test('refuses an input that does not fit, whole, and takes a smaller one', async () => {
    const { agent, model, session, failed, store } = world(['Fine.'], small)
    const opened = await session()
    const error = { code: 'store.full', retryable: false, message: expect.stringMatching(/Free some disk space/) }
    expect(await opened.run(big).result).toMatchObject({ reason: 'error', recorded: false, error })
    expect(failed.length).toBe(5)
    expect(model.requests).toEqual([])
    expect(types(await storedEvents(store))).toEqual(['session-created'])
    await expectUsable(opened)
    await agent.close()
  })

  test('refuses an attachment that does not fit', async () => {
    const { agent, model, session, store } = world(['Fine.'], small)
    const opened = await session()
    const bytes = new Uint8Array(1_000_000)
    const run = opened.run([{ type: 'file', mediaType: 'text/plain', bytes }])
    expect(await run.result).toMatchObject({ reason: 'error', recorded: false, error: { code: 'store.full' } })
    expect(model.requests).toEqual([])
    expect(types(await storedEvents(store))).toEqual(['session-created'])
    await expectUsable(opened)
    await agent.close()
  })

  test('ends a run whose reply does not fit, and the next input closes what it left', async () => {
    const { agent, session, store } = world([big, 'Fine.'], small)
    const opened = await session()
    const result = await opened.run('Hello').result
    expect(result).toMatchObject({ reason: 'error', recorded: false, error: { code: 'store.full' } })
    await expectUsable(opened)
    const events = await storedEvents(store)
    expect(ofType(events, 'finish').map(({ reason }) => reason)).toEqual(['interrupted', 'stop'])
    expectNothingOpen(events, opened.state)
    await agent.close()
  })
})
