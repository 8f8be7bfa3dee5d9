// Writes the SQLite files that are opened, each with one session: `prepare.mjs <directory> <messages>…`. For every size
// there is `<messages>.db`, and `<messages>-snapshot.db` with a snapshot of the whole session.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { initialState, REDUCER_VERSION, reduce } from '@stepwell/sdk'
import { sqliteStore } from '@stepwell/sdk/sqlite'
import { eventsOfRun } from './log.mjs'

const RUNS_AT_ONCE = 50
const id = 'long'
const [directory, ...sizes] = process.argv.slice(2)

for (const size of sizes) {
  const file = join(directory, `${size}.db`)
  const withSnapshot = join(directory, `${size}-snapshot.db`)
  await writeSession(file, Number(size) / 2)
  copyFileSync(file, withSnapshot)
  await saveSnapshot(withSnapshot)
}
process.send('done', () => process.exit())

async function writeSession(file, runs) {
  const store = sqliteStore(file)
  await store.create({ id, createdAt: 0 }, { type: 'session-created', seq: 1, at: 0, v: 1 })
  const { generation, release } = await store.acquire(id, { owner: 'bench:1:1', ttlMs: 60_000 })
  let seq = generation * 2 ** 32
  for (let run = 0; run < runs; run += RUNS_AT_ONCE) {
    const events = []
    for (let next = run; next < Math.min(run + RUNS_AT_ONCE, runs); next++) {
      events.push(...eventsOfRun(next, seq + events.length + 1))
    }
    await store.append(id, events, { generation })
    seq += events.length
  }
  await release()
  await store.close()
}

async function saveSnapshot(file) {
  const store = sqliteStore(file)
  let state = initialState(id)
  for await (const batch of store.read(id)) state = reduce(state, batch)
  await store.saveSnapshot(id, { version: REDUCER_VERSION, seq: state.seq, state })
  await store.close()
}
