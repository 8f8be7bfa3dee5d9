// npm run check:sizes: what a page loads before it shows anything: `useAgentSession` with the client, React not counted.
// Chunks that are loaded late are not counted either. Each chunk is gzipped by itself.
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from './lib.mjs'

const APPS = {
  'useAgentSession with the client': {
    limit: 13_000,
    code: "export { createClient } from '@stepwell/sdk/client'\nexport { useAgentSession } from '@stepwell/react'",
  },
  'useAgentSession without the client': { limit: 5_100, code: "export { useAgentSession } from '@stepwell/react'" },
  'every hook without the client': { limit: 13_500, code: "export * from '@stepwell/react'" },
}

for (const [name, { limit, code }] of Object.entries(APPS)) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: `${root}/packages/react`, sourcefile: 'app.js' },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    outdir: '/out',
    write: false,
    metafile: true,
    absWorkingDir: '/',
    logLevel: 'error',
    external: ['react', 'react/*'],
  })
  const chunks = [...loadedFirst(metafile.outputs, 'out/stdin.js')]
  const sizes = chunks.map((path) => gzipSync(textOf(outputFiles, path), { level: 9 }).length)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  console.log(`${total <= limit ? 'ok  ' : 'FAIL'} ${name}: ${kb(total)} of ${kb(limit)} gzipped`)
  if (total > limit) process.exitCode = 1
}

function loadedFirst(outputs, path, found = new Set()) {
  if (found.has(path)) return found
  found.add(path)
  for (const { path: next, kind } of outputs[path].imports) {
    if (kind === 'import-statement' && next in outputs) loadedFirst(outputs, next, found)
  }
  return found
}

function textOf(files, path) {
  return files.find((file) => file.path === `/${path}`).text
}

function kb(bytes) {
  return `${(bytes / 1000).toFixed(1)} KB`
}
