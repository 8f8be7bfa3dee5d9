// Makes the bench ready to run: the packages are built, the bench's own packages are installed, its native one is compiled for
// the Node that it runs on, and the builds lie among them, so that it loads those.
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
for (const name of ['sdk', 'react']) copyBuild(name)

function loadsSqlite() {
  const script = `new (require('better-sqlite3'))(':memory:')`
  return spawnSync(node, ['-e', script], { cwd: here, stdio: 'ignore' }).status === 0
}

function copyBuild(name) {
  const from = join(root, 'packages', name)
  const to = join(here, 'node_modules/@stepwell', name)
  rmSync(to, { recursive: true, force: true })
  for (const part of ['package.json', 'dist']) cpSync(join(from, part), join(to, part), { recursive: true })
}
