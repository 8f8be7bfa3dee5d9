// npm run demo:storybook: sets up, then serves the stories of the React hooks. With --build it only builds them, as files
// that any server can serve: examples/storybook/dist. PORT is where, else 6006.
import { join } from 'node:path'
import { buildExample, install, root, run } from './lib.mjs'

const name = 'examples/storybook'
const cwd = join(root, name)
const env = { STORYBOOK_DISABLE_TELEMETRY: '1' }
const storybook = 'examples/storybook/node_modules/storybook/dist/bin/dispatcher.js'

const own = ['src', '.storybook', 'package.json', 'tsconfig.json'].map((file) => `${name}/${file}`)
const inputs = [...own, 'examples/chat-kit/src', 'docs/hooks']

install()
if (process.argv.includes('--build')) {
  const make = ['build', '--output-dir', 'dist', '--quiet']
  buildExample(name, { inputs, output: `${name}/dist/index.json` }, () => run(storybook, make, { cwd, env }) === 0)
  process.exit()
}
// Ctrl-C is for the server: this process only waits for it.
process.on('SIGINT', () => {})
const port = process.env.PORT ?? '6006'
process.exit(run(storybook, ['dev', '--ci', '--port', port, ...process.argv.slice(2)], { cwd, env }))
