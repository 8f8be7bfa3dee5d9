import type { Clock, Ids } from '../protocol/clock.ts'

/** The one place where the agent meets the machine's time and chance. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(callback, ms, options) {
    const timer = setTimeout(callback, ms)
    // Node keeps a process alive for its timers; browsers give numbers.
    if (options?.background && typeof timer === 'object') timer.unref()
    return () => clearTimeout(timer)
  },
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Random bytes, each used once: drawn many at a time, which is ten times as fast. */
const pool = /* @__PURE__ */ new Uint8Array(1024)
let used = pool.length

function randomByte(): number {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  return pool[used++] as number
}

/** 24 characters of 36 are 124 random bits: ids cannot be guessed. Bytes past the last whole 36 are drawn again. */
export const systemIds: Ids = (prefix) => {
  let id = ''
  while (id.length < 24) {
    const byte = randomByte()
    if (byte < 252) id += ALPHABET[byte % 36]
  }
  return `${prefix}_${id}`
}

export const systemRandom = (): number => Math.random()

/** What of Node's process the core can use without importing anything of Node. */
interface HostProcess {
  readonly pid?: number
  getBuiltinModule?(name: 'node:os'): { hostname(): string } | undefined
}

/** `host:pid:random`. A store on the same host can tell from it whether this process still lives. */
export function ownerName(): string {
  const { process } = globalThis as { process?: HostProcess }
  const host = process?.getBuiltinModule?.('node:os')?.hostname() ?? 'unknown'
  return `${host}:${process?.pid ?? 0}:${systemIds('own')}`
}
