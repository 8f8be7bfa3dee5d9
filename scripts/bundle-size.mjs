// npm run check:sizes: how much of the SDK a browser app loads for one run with one tool call. The app is bundled, split
// and minified, and really run against a scripted endpoint: only the chunks it loaded count, each gzipped by itself.
// With --source it bundles the sources instead of the build, and shows which folder weighs what.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from './lib.mjs'
import './client-size.mjs'

// Where it stands, so that it only gets smaller. The goal is 22,000 and 35,000: not reached yet.
const LIMITS = { 'without zod': 41_200, 'with zod': 52_900 }
const ANSWER = 'It is 5.'
const fromSource = process.argv.includes('--source')

const APP = `
import { createAgent, defineTool } from '@stepwell/sdk'
import { openai } from '@stepwell/sdk/openai'
import * as z from 'zod/mini'

export async function ask(fetch) {
  const add = defineTool({
    name: 'add',
    description: 'Adds two numbers',
    input: z.object({ a: z.number(), b: z.number() }),
    effect: 'read',
    execute: ({ a, b }) => a + b,
  })
  const agent = createAgent({ model: openai('gpt-5.2', { apiKey: 'none', fetch }), tools: [add] })
  const { text } = await agent.run('How much is 2 + 3?').result
  await agent.close()
  return text
}
`

const chunk = (delta, finish_reason = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'gpt-5.2', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 } })}\n\ndata: [DONE]\n\n`
const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":2,' } }
const REPLIES = [
  chunk({ role: 'assistant', tool_calls: [call] }) +
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"b":3}' } }] }) +
    chunk({}, 'tool_calls') +
    usage,
  chunk({ role: 'assistant', content: ANSWER.slice(0, 3) }) + chunk({ content: ANSWER.slice(3) }, 'stop') + usage,
]

const dir = workFolder()
try {
  for (const [name, limit] of Object.entries(LIMITS)) await check(name, limit)
} finally {
  rmSync(dir, { recursive: true, force: true })
}

async function check(name, limit) {
  const { outputs, metafile } = await bundle(name)
  const loaded = await runApp(outputs)
  const parts = outputs.map(({ path, text }) => ({
    path,
    minified: Buffer.byteLength(text),
    gzipped: gzipSync(text, { level: 9 }).length,
    loaded: loaded.has(basename(path)),
  }))
  const counted = parts.filter((part) => part.loaded)
  const total = sum(counted, 'gzipped')
  const verdict = total <= limit ? 'ok  ' : 'FAIL'
  console.log(`${verdict} ${name}: ${kb(total)} of ${kb(limit)} gzipped, ${kb(sum(counted, 'minified'))} minified`)
  if (total > limit) process.exitCode = 1
  if (fromSource) explain(parts, metafile)
}

async function bundle(name) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: APP, resolveDir: root, sourcefile: 'app.js' },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    outdir: join(dir, name),
    write: false,
    metafile: true,
    logLevel: 'error',
    absWorkingDir: root,
    conditions: fromSource ? ['@stepwell/source'] : [],
    external: name === 'without zod' ? ['zod/*'] : [],
  })
  return { outputs: outputFiles, metafile }
}

/** The names of the chunks that a run loads: each says so itself, in a line that is not counted. */
async function runApp(outputs) {
  const loaded = new Set()
  globalThis.chunkLoaded = (url) => loaded.add(basename(new URL(url).pathname))
  for (const { path, text } of outputs) {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, `globalThis.chunkLoaded(import.meta.url)\n${text}`)
  }
  const entry = outputs.find(({ path }) => basename(path) === 'stdin.js')
  const replies = [...REPLIES]
  const answer = async () => new Response(replies.shift(), { headers: { 'content-type': 'text/event-stream' } })
  const { ask } = await import(pathToFileURL(entry.path).href)
  const text = await ask(answer)
  if (text !== ANSWER) throw new Error(`The app answered ${JSON.stringify(text)}`)
  return loaded
}

/** Folders by what they put into loaded chunks, and every chunk. */
function explain(parts, metafile) {
  const folders = new Map()
  for (const { path, loaded } of parts) {
    const { inputs } = metafile.outputs[relative(root, path)]
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const folder =
        /packages\/sdk\/src\/(\w+)/.exec(file)?.[1] ?? /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file
      const bytes = folders.get(folder) ?? { loaded: 0, later: 0, files: [] }
      bytes[loaded ? 'loaded' : 'later'] += bytesInOutput
      if (loaded) bytes.files.push([bytesInOutput, basename(file)])
      folders.set(folder, bytes)
    }
  }
  for (const [folder, { loaded, later, files }] of [...folders].sort((a, b) => b[1].loaded - a[1].loaded)) {
    const largest = files.sort((a, b) => b[0] - a[0]).slice(0, 8)
    console.log(
      `  ${folder.padEnd(20)} ${kb(loaded).padStart(8)} loaded ${kb(later).padStart(8)} later   ${largest.map(([bytes, file]) => `${file} ${bytes}`).join(', ')}`,
    )
  }
  for (const { path, minified, gzipped, loaded } of parts) {
    console.log(
      `  ${loaded ? 'loaded' : 'later '} ${basename(path).padEnd(32)} ${kb(minified).padStart(8)} ${kb(gzipped).padStart(8)}`,
    )
  }
}

/** Inside node_modules, so that chunks find the zod they left out. */
function workFolder() {
  const cache = join(root, 'node_modules/.cache/stepwell')
  mkdirSync(cache, { recursive: true })
  return mkdtempSync(join(cache, 'bundle-'))
}

function sum(parts, key) {
  return parts.reduce((bytes, part) => bytes + part[key], 0)
}

function kb(bytes) {
  return `${(bytes / 1000).toFixed(1)} KB`
}
