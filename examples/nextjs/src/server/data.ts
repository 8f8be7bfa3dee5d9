import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A file in the folder where this server keeps what it knows: `STEPWELL_DATA`, or `.data`. */
export function dataFile(...names: readonly string[]): string {
  // Next.js would else take all that could be below these folders for part of the server.
  const folder = process.env.STEPWELL_DATA ?? join(/* turbopackIgnore: true */ process.cwd(), '.data')
  const file = join(/* turbopackIgnore: true */ folder, ...names)
  mkdirSync(/* turbopackIgnore: true */ dirname(file), { recursive: true })
  return file
}

let known: string | undefined

/** Signs cookies: `STEPWELL_SECRET`, or one that is made once and kept. */
export function secret(): string {
  known ??= process.env.STEPWELL_SECRET ?? kept(dataFile('secret'))
  return known
}

function kept(file: string): string {
  if (!existsSync(file)) {
    // Of two processes that start together the first one's holds.
    try {
      writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
    } catch {}
  }
  return readFileSync(file, 'utf8')
}
