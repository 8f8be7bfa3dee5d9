// npm run demo:web: sets up, then builds and serves the Next.js example. With --build it only builds. PORT is where,
// else 3000.
import { join } from 'node:path'
import { build, buildExample, install, root, run } from './lib.mjs'

const name = 'examples/nextjs'
const cwd = join(root, name)
const env = { NEXT_TELEMETRY_DISABLED: '1' }
const next = 'node_modules/next/dist/bin/next'
const own = ['src', 'next.config.ts', 'package.json', 'tsconfig.json'].map((file) => `${name}/${file}`)
const inputs = [...own, 'examples/chat-kit/src', 'examples/node/src']

install()
build()
buildExample(name, { inputs, output: `${name}/.next/BUILD_ID` }, () => run(next, ['build'], { cwd, env }) === 0)
if (process.argv.includes('--build')) process.exit()
// Ctrl-C is for the server: this process only waits for it.
process.on('SIGINT', () => {})
process.exit(run(next, ['start', ...process.argv.slice(2)], { cwd, env }))
