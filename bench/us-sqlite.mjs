import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStore } from '@stepwell/sdk/sqlite'
import { run as runOn } from './us.mjs'

export async function run(work) {
  const directory = mkdtempSync(join(tmpdir(), 'stepwell-bench-'))
  try {
    return await runOn({ ...work, store: sqliteStore(join(directory, 'bench.db')) })
  } finally {
    rmSync(directory, { recursive: true })
  }
}
