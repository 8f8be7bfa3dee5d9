// npm run demo:browser: bundles the agent that lives in the page, and serves it. With --build it only bundles it:
// examples/browser/index.html can then be opened as a file. PORT is where, else 8080.
import { join } from 'node:path'
import { install, root } from './lib.mjs'

const cwd = join(root, 'examples/browser')

install()
const { context } = await import('esbuild')
const bundle = await context({
  absWorkingDir: cwd,
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  conditions: ['@stepwell/source'],
  external: ['node:*'],
})
await bundle.rebuild()
if (process.argv.includes('--build')) {
  await bundle.dispose()
} else {
  const { port } = await bundle.serve({ servedir: cwd, host: '127.0.0.1', port: Number(process.env.PORT ?? 8080) })
  console.log(`http://127.0.0.1:${port}`)
}
