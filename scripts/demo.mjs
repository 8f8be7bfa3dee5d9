// npm run demo: sets up, then runs the terminal example against the built packages.
import { build, install, run } from './lib.mjs'

install()
build()
process.exit(run('node_modules/tsx/dist/cli.mjs', ['examples/node/src/main.ts', ...process.argv.slice(2)]))
