// npm run check:sizes: how much of the SDK a page loads for sessions behind a server. `createClient` is bundled from the
// build, split and minified: what it imports at once counts, gzipped chunk by chunk. What it loads when a tool, a schema
// or an input's fate asks for it does not.
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from './lib.mjs'

const LIMIT = 9_000

const { outputFiles, metafile } = await build({
  stdin: { contents: "export { createClient } from '@stepwell/sdk/client'", resolveDir: root, sourcefile: 'page.js' },
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  outdir: root,
  write: false,
  metafile: true,
  logLevel: 'error',
  absWorkingDir: root,
  conditions: process.argv.includes('--source') ? ['@stepwell/source'] : [],
  external: ['zod/*'],
})

const loaded = new Set()
function load(path) {
  if (loaded.has(path)) return
  loaded.add(path)
  for (const { path: next, kind } of metafile.outputs[path].imports) if (kind === 'import-statement') load(next)
}
load('stdin.js')

const bytes = [...loaded].map((path) => {
  const file = outputFiles.find((output) => output.path.endsWith(`/${path}`))
  return gzipSync(file.text, { level: 9 }).length
})
const total = bytes.reduce((sum, size) => sum + size, 0)
const verdict = total <= LIMIT ? 'ok  ' : 'FAIL'
console.log(`${verdict} client, without zod: ${(total / 1000).toFixed(1)} KB of ${LIMIT / 1000} KB gzipped`)
if (total > LIMIT) process.exitCode = 1
