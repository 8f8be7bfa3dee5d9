import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('../../../scripts/demo-web.mjs', import.meta.url))

/** Vitest calls it before the first of these tests, and only then: who runs others waits for no build. */
export function setup(): void {
  execFileSync(process.execPath, [SCRIPT, '--build'], { stdio: 'inherit' })
}
