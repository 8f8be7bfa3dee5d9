// npm run bench: sets up, then measures the build. What setting up prints goes to stderr: stdout is the bench's own.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root, run } from './lib.mjs'

const { status } = spawnSync(process.execPath, [join(root, 'bench/setup.mjs')], { stdio: ['ignore', 2, 2] })
process.exit(status === 0 ? run('bench/run.mjs', process.argv.slice(2)) : 1)
