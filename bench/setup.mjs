// Makes the bench ready to run: the SDK is built, the bench's own packages are installed, its native one is compiled for
// the Node that it runs on, and the build lies among them, so that it loads that one.
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, fail, install, root, run } from '../scripts/lib.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))

install()
build()
install(here)
// It is installed only now.
const { buildEnv, node } = await import('./node.mjs')
if (!loadsSqlite()) {
  run('npm', ['rebuild', 'better-sqlite3', '--ignore-scripts=false'], { cwd: here, env: buildEnv })
  if (!loadsSqlite()) fail('better-sqlite3 does not load in the Node of the bench')
}
copySdk()

function loadsSqlite() {
  const script = `new (require('better-sqlite3'))(':memory:')`
  return spawnSync(node, ['-e', script], { cwd: here, stdio: 'ignore' }).status === 0
}

function copySdk() {
  const from = join(root, 'packages/sdk')
  const to = join(here, 'node_modules/@stepwell/sdk')
  rmSync(to, { recursive: true, force: true })
  for (const name of ['package.json', 'dist']) cpSync(join(from, name), join(to, name), { recursive: true })
}
