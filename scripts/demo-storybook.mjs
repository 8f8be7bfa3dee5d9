// npm run demo:storybook: sets up, then serves the stories of the React hooks. With --build it only builds them, as files
// that any server can serve: examples/storybook/dist. PORT is where, else 6006.
import { join } from 'node:path'
import { install, root, run } from './lib.mjs'

const cwd = join(root, 'examples/storybook')
const env = { STORYBOOK_DISABLE_TELEMETRY: '1' }
const storybook = 'examples/storybook/node_modules/storybook/dist/bin/dispatcher.js'

install()
if (process.argv.includes('--build')) {
  process.exit(run(storybook, ['build', '--output-dir', 'dist', '--quiet'], { cwd, env }))
}
// Ctrl-C is for the server: this process only waits for it.
process.on('SIGINT', () => {})
const port = process.env.PORT ?? '6006'
process.exit(run(storybook, ['dev', '--ci', '--port', port, ...process.argv.slice(2)], { cwd, env }))
