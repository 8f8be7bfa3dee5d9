// npm run check: every check that is not a test, side by side. Prints what the failing ones said.
import { availableParallelism } from 'node:os'
import { build, install, runNpmQuietly } from './lib.mjs'

// The longest first.
const checks = ['types', 'unused', 'examples', 'packages', 'arrows', 'lint', 'sizes']

install()
build()

const failed = []
const waiting = [...checks]
async function work() {
  for (let name = waiting.shift(); name; name = waiting.shift()) {
    const start = performance.now()
    const { code, output } = await runNpmQuietly(['run', '--silent', `check:${name}`])
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(9)}${seconds.padStart(5)} s`)
    if (code !== 0) failed.push(`--- check:${name}\n${output.trimEnd()}`)
  }
}
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work))

if (failed.length > 0) {
  console.error(`\n${failed.join('\n\n')}`)
  process.exit(1)
}
