// What a browser loads for one run with one tool call, in KB of 1,000 bytes: `bundle.mjs <app> <baseURL> [external]`.
// The app is bundled, split and minified, and really run: only the chunks it loaded count, each gzipped by itself.
// `external` is left out of the bundle, and of the figure.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expected } from './work/replies.mjs'

const [app, baseURL, external] = process.argv.slice(2)
const here = fileURLToPath(new URL('.', import.meta.url))
const model = 'tool-input:3'

// Inside node_modules, so that chunks find what was left out of them.
const cache = join(here, 'node_modules/.cache')
mkdirSync(cache, { recursive: true })
const directory = mkdtempSync(join(cache, 'bundle-'))
let kilobytes
try {
  const { outputFiles } = await build({
    entryPoints: [join(here, app)],
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    outdir: directory,
    write: false,
    logLevel: 'error',
    external: external ? [external] : [],
  })
  const loaded = await loadedBy(outputFiles)
  const counted = outputFiles.filter(({ path }) => loaded.has(basename(path)))
  const bytes = counted.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
  kilobytes = bytes / 1000
} finally {
  rmSync(directory, { recursive: true })
}
process.send(kilobytes, () => process.exit())

/** The names of the chunks that a run loads: each says so itself, in a line that is not counted. */
async function loadedBy(outputFiles) {
  const loaded = new Set()
  globalThis.chunkLoaded = (url) => loaded.add(basename(new URL(url).pathname))
  for (const { path, text } of outputFiles) {
    writeFileSync(path, `globalThis.chunkLoaded(import.meta.url)\n${text}`)
  }
  const { ask } = await import(pathToFileURL(join(directory, basename(app, '.mjs').concat('.js'))).href)
  const { length } = await ask({ baseURL, model })
  if (length !== expected(model).text) throw new Error(`${app} answered ${length} characters`)
  return loaded
}
