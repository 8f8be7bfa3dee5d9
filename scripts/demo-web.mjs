// npm run demo:web: sets up, then builds and serves the Next.js example. With --build it only builds. PORT is where,
// else 3000.
import { join } from 'node:path'
import { build, install, root, run } from './lib.mjs'

const cwd = join(root, 'examples/nextjs')
const env = { NEXT_TELEMETRY_DISABLED: '1' }
const next = 'node_modules/next/dist/bin/next'

install()
build()
const code = run(next, ['build'], { cwd, env })
if (code !== 0 || process.argv.includes('--build')) process.exit(code)
// Ctrl-C is for the server: this process only waits for it.
process.on('SIGINT', () => {})
process.exit(run(next, ['start', ...process.argv.slice(2)], { cwd, env }))
