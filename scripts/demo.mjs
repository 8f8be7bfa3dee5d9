// npm run demo: sets up, then runs the terminal example against the built packages, in the folder it was called from.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, install, root } from './lib.mjs'

install()
build()
// Ctrl-C is for the demo, which stops its run: this process only waits.
process.on('SIGINT', () => {})
const tsx = pathToFileURL(join(root, 'node_modules/tsx/dist/loader.mjs')).href
const args = ['--import', tsx, join(root, 'examples/node/src/main.ts'), ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', cwd: process.env.INIT_CWD ?? process.cwd() })
process.exit(status ?? 1)
