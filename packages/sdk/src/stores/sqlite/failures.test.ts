import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeSeq } from '../../protocol/seq.ts'
import { initialState, REDUCER_VERSION } from '../../protocol/state.ts'
import { create, input, note, owned, seqsOf } from '../../testing/store-rules/world.ts'
import type { SessionStore } from '../store.ts'
import { driverError } from './errors.ts'
import { SCHEMA, SCHEMA_VERSION } from './schema.ts'
import { type SqliteStoreOptions, sqliteStore } from './store.ts'

let folder = ''
let path = ''
let opened: { close(): unknown }[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stepwell-failures-'))
  path = join(folder, 'agent.db')
})

afterEach(async () => {
  for (const one of opened) await one.close()
  opened = []
  rmSync(folder, { recursive: true, force: true })
})

function open(at = path, options?: SqliteStoreOptions): SessionStore {
  const store = sqliteStore(at, options)
  opened.push(store)
  return store
}

function database(): Database.Database {
  const db = new Database(path)
  opened.push(db)
  return db
}

async function storedSession(): Promise<void> {
  const store = sqliteStore(path)
  await owned(store, 's')
  await store.close()
}

describe('a path that is no database of ours', () => {
  it.each([
    ['in a folder that does not exist', () => join(folder, 'missing', 'agent.db'), 'store.unwritable'],
    ['that is a folder', () => folder, 'store.unwritable'],
    ['below a file', () => join(path, 'agent.db'), 'store.unwritable'],
    ['of a text file', () => path, 'store.not-a-database'],
  ])('%s', async (_, at, code) => {
    writeFileSync(path, 'Dear diary, this is not a database. '.repeat(100))
    const store = open(at())
    await expect(store.get('s')).rejects.toMatchObject({ code, retryable: false })
    await expect(create(store, 's')).rejects.toMatchObject({ code })
  })

  it('is left alone when it belongs to another application', async () => {
    database().exec('CREATE TABLE diary (day TEXT)')
    const before = readFileSync(path)
    await expect(create(open(), 's')).rejects.toMatchObject({ code: 'store.not-a-database' })
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('is refused when a newer version wrote it', async () => {
    await storedSession()
    database().pragma('user_version = 99')
    await expect(open().get('s')).rejects.toMatchObject({ code: 'protocol.too-new' })
  })

  it('is refused when an earlier version wrote it, and left as it is', async () => {
    await storedSession()
    const db = database()
    db.exec('ALTER TABLE sessions DROP COLUMN archived')
    db.pragma(`user_version = ${SCHEMA_VERSION - 1}`)
    const refusal = {
      code: 'store.not-a-database',
      retryable: false,
      message: expect.stringMatching(/earlier version/),
    }
    await expect(open().get('s')).rejects.toMatchObject(refusal)
    await expect(create(open(), 'new')).rejects.toMatchObject(refusal)
    expect(db.prepare('SELECT id FROM sessions').pluck().all()).toEqual(['s'])
  })

  it('is told apart by its version: other tables have another one', () => {
    const tables = createHash('sha256').update(SCHEMA).digest('hex').slice(0, 8)
    expect({ tables, version: SCHEMA_VERSION }, 'raise the version with the tables').toEqual({
      tables: '32bb12db',
      version: 3,
    })
  })

  it('is tried again by the next call', async () => {
    const at = join(folder, 'later', 'agent.db')
    const store = open(at)
    await expect(store.get('s')).rejects.toMatchObject({ code: 'store.unwritable' })
    mkdirSync(join(folder, 'later'))
    await create(store, 's')
    expect((await store.get('s'))?.id).toBe('s')
  })

  it('does no harm when nothing was ever asked of the store', async () => {
    await sqliteStore(join(folder, 'missing', 'agent.db')).close()
  })
})

describe('a database that fails', () => {
  it('is locked while another process writes', async () => {
    const store = open(path, { pragmas: { busy_timeout: 0 } })
    const { generation } = await owned(store, 's')
    const other = database()
    other.exec('BEGIN IMMEDIATE')
    const append = () => store.append('s', [note(makeSeq(1, 1), 'text')], { generation })
    await expect(append()).rejects.toMatchObject({ code: 'store.locked', retryable: true })
    expect(await seqsOf(store, 's'), 'reading goes on').toEqual([1])
    other.exec('COMMIT')
    await append()
    expect(await seqsOf(store, 's')).toEqual([1, makeSeq(1, 1)])
  })

  it('is full when the disk is, and keeps what it has', async () => {
    const store = open(path, { pragmas: { max_page_count: 40 } })
    const { generation } = await owned(store, 's')
    const big = note(makeSeq(1, 1), 'x'.repeat(1_000_000))
    const receipts = [{ commandId: 'c', status: 'done' } as const]
    await expect(store.append('s', [big], { generation, receipts })).rejects.toMatchObject({ code: 'store.full' })
    expect(await seqsOf(store, 's')).toEqual([1])
    expect(await store.receipt('s', 'c')).toBeUndefined()
    await store.append('s', [note(makeSeq(1, 2), 'small')], { generation })
    expect((await store.get('s'))?.head).toBe(makeSeq(1, 2))
  })

  it('is unwritable when it may only be read', async () => {
    await storedSession()
    const store = open(path, { pragmas: { query_only: 1 } })
    await expect(create(store, 'new')).rejects.toMatchObject({ code: 'store.unwritable' })
    expect((await store.get('s'))?.id).toBe('s')
  })

  it('is corrupt when its pages are garbage', async () => {
    await storedSession()
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0x5a, 4096))
    await expect(open().get('s')).rejects.toMatchObject({ code: 'store.corrupt', retryable: false })
  })
})

describe('garbage in one row', () => {
  it('costs that row and nothing else', async () => {
    const store = open()
    const { generation } = await owned(store, 's')
    await store.append('s', [note(makeSeq(1, 1), 'a'), note(makeSeq(1, 2), 'b'), note(makeSeq(1, 3), 'c')], {
      generation,
      row: { metadata: { a: 1 } },
      receipts: [{ commandId: 'judged', status: 'done' }],
    })
    await store.post('s', input('c1', 'x'))
    await store.post('s', input('c2', 'y'))
    await store.saveSnapshot('s', { version: REDUCER_VERSION, seq: 1, state: initialState('s') })
    const db = database()
    db.prepare('UPDATE events SET json = ? WHERE seq = ?').run('null', makeSeq(1, 1))
    db.prepare('UPDATE events SET json = ? WHERE seq = ?').run(Buffer.from([0xff, 0x00, 0xfe]), makeSeq(1, 2))
    db.exec("UPDATE sessions SET metadata = '{'; UPDATE snapshots SET json = '{'; UPDATE receipts SET json = '{'")
    db.exec("UPDATE inbox SET json = '{' WHERE id = 'c1'")

    const reported: number[] = []
    expect(await seqsOf(store, 's', { onCorrupt: ({ seq }) => reported.push(seq) })).toEqual([1, makeSeq(1, 3)])
    expect(reported).toEqual([makeSeq(1, 1), makeSeq(1, 2)])
    expect(await store.get('s')).toEqual({ id: 's', createdAt: 1_000, updatedAt: 1_000, head: makeSeq(1, 3) })
    expect(await store.snapshot('s')).toBeUndefined()
    expect((await store.commands('s')).map((command) => command.id)).toEqual(['c2'])
    await expect(store.receipt('s', 'judged')).rejects.toMatchObject({ code: 'store.corrupt' })
  })
})

describe('what must be set right first', () => {
  it('says how to install or rebuild better-sqlite3', () => {
    const missing = Object.assign(new Error("Cannot find package 'better-sqlite3'"), { code: 'ERR_MODULE_NOT_FOUND' })
    expect(driverError(missing)).toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining('npm install better-sqlite3@12'),
    })
    expect(driverError(new Error('Could not locate the bindings file.')).message).toContain(
      'npm rebuild better-sqlite3',
    )
  })

  it('refuses a pragma that is more than a word', async () => {
    const store = open(path, { pragmas: { synchronous: 'full; DROP TABLE events' } })
    await expect(store.get('s')).rejects.toMatchObject({ code: 'config.invalid' })
  })
})
