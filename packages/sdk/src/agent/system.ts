import type { Clock } from '../protocol/clock.ts'
import { systemIds } from '../protocol/system-ids.ts'

/** The one place where the agent meets the machine's time and chance. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(callback, ms, options) {
    const timer: { unref?(): void } = setTimeout(callback, ms)
    // Node keeps a process alive for its timers; browsers give numbers.
    if (options?.background) timer.unref?.()
    return () => clearTimeout(timer as ReturnType<typeof setTimeout>)
  },
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
