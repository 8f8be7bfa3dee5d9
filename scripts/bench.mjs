// npm run bench: sets up, installs the bench's own packages, and runs it against the built packages.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build, fail, install, root, run } from './lib.mjs'

if (!existsSync(join(root, 'bench/run.mjs'))) fail('There is no bench/run.mjs')
install()
build()
install(join(root, 'bench'))
process.exit(run('bench/run.mjs', process.argv.slice(2)))
