// One contestant in Chromium: `browser.mjs <contestant> <work>`. Sends what its row is about.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const FRAME_US = 1_000_000 / 60
const WARM_UP_DELTAS = 20_000
/** What the trace calls work of scripts. */
const SCRIPT = ['FunctionCall', 'EvaluateScript', 'RunMicrotasks', 'TimerFire', 'FireAnimationFrame']

const [name, json] = process.argv.slice(2)
const { kind, ...work } = JSON.parse(json)
const { outputFiles } = await build({
  entryPoints: [here('page.mjs')],
  alias: { contestant: here(`${name}.mjs`) },
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  platform: 'browser',
  target: 'es2022',
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'error',
})
const { stdout } = spawnSync(process.execPath, [here('../../scripts/chromium.mjs')], { encoding: 'utf8' })
const browser = await chromium.launch({ executablePath: stdout.trim() })
try {
  const page = await browser.newPage()
  // What waits for a page that failed waits for ever.
  page.once('pageerror', (thrown) => {
    throw thrown
  })
  await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><body></body>' }))
  await page.goto('http://bench/')
  await page.addScriptTag({ content: outputFiles[0].text })
  const answer = kind === 'memory' ? await memory(page) : await smoothness(page)
  process.send(answer, () => process.exit())
} finally {
  await browser.close()
}

/** The longest task, and the script of a frame at the 95th percentile, ms. */
async function smoothness(page) {
  await browser.startTracing(page, { categories: ['devtools.timeline', 'blink.user_timing'] })
  const longest = await page.evaluate((work) => globalThis.converse(work), work)
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()))
  return { longest, script: scriptOfAFrame(traceEvents) }
}

/**
 * What the page holds more once the reply is there, KB of 1,000 bytes. One was there before, so that what the engine made of
 * the code is in neither.
 */
async function memory(page) {
  const chromium = await page.context().newCDPSession(page)
  const remember = (work) => page.evaluate((work) => globalThis.remember(work), work)
  await remember({ ...work, deltas: WARM_UP_DELTAS, isOneDelta: false })
  const before = await heapOf(chromium)
  await remember(work)
  return { kilobytes: (await heapOf(chromium)) - before }
}

/** Once nothing more can be collected: what a page was loaded with goes with the second time. */
async function heapOf(chromium) {
  for (let last = Number.POSITIVE_INFINITY; ; ) {
    await chromium.send('HeapProfiler.collectGarbage')
    const { usedSize } = await chromium.send('Runtime.getHeapUsage')
    if (usedSize >= last) return usedSize / 1_000
    last = usedSize
  }
}

/** Between the two marks, in milliseconds, at the 95th percentile of all frames in which anything ran. */
function scriptOfAFrame(events) {
  const mark = (name) => events.find((event) => event.name === name && event.cat.includes('user_timing'))
  const [begun, ended] = [mark('begun'), mark('ended')]
  const spans = events
    .filter(({ name, pid, tid, ts }) => {
      return SCRIPT.includes(name) && pid === begun.pid && tid === begun.tid && ts >= begun.ts && ts < ended.ts
    })
    .sort((a, b) => a.ts - b.ts)
  const frames = new Map()
  let over = 0
  for (const { ts, dur = 0 } of spans) {
    // Inside another one, and counted there.
    if (ts < over) continue
    over = ts + dur
    const frame = Math.floor((ts - begun.ts) / FRAME_US)
    frames.set(frame, (frames.get(frame) ?? 0) + dur)
  }
  const sorted = [...frames.values()].toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.95)] / 1_000
}
