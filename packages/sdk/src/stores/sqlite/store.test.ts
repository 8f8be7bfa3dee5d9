import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, it } from 'vitest'
import { storeConformance } from '../../testing/store-conformance.ts'
import type { SessionStore } from '../store.ts'
import { sqliteStore } from './store.ts'

const folder = mkdtempSync(join(tmpdir(), 'stepwell-sqlite-'))
const paths = new WeakMap<SessionStore, string>()
let files = 0

function openFile(options: { now(): number }, path = join(folder, `${++files}.db`)): SessionStore {
  const store = sqliteStore(path, options)
  paths.set(store, path)
  return store
}

function pathOf(store: SessionStore): string {
  return paths.get(store) ?? ''
}

const onDisk = storeConformance({
  name: 'sqlite file',
  open: openFile,
  reopen: (store, options) => openFile(options, pathOf(store)),
  corrupt(store, id, seq) {
    const db = new Database(pathOf(store))
    const text =
      'UPDATE events SET json = \'{"seq":\' WHERE seq = ? AND session = (SELECT key FROM sessions WHERE id = ?)'
    db.prepare(text).run(seq, id)
    db.close()
  },
})
const inMemory = storeConformance({ name: 'sqlite :memory:', open: (options) => sqliteStore(':memory:', options) })

for (const { name, run } of [...onDisk, ...inMemory]) it(name, run)

afterAll(() => rmSync(folder, { recursive: true, force: true }))
