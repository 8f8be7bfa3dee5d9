import { format } from 'node:util'
import * as vitest from 'vitest'
import type { Block } from './blocks.ts'
import { transpiled } from './compile.ts'

type Modules = ReadonlyMap<string, unknown>
type Body = (require: (name: string) => unknown, exports: object, console: object, process: object) => Promise<void>

const AsyncFunction = (async () => {}).constructor as new (...texts: string[]) => Body

/** Node's own undici, as the package of that name would be. */
function builtInUndici(): { module: object; restore(): void } {
  const key = Symbol.for('undici.globalDispatcher.1')
  const holder = globalThis as unknown as Record<symbol, object>
  const before = holder[key]
  const setGlobalDispatcher = (dispatcher: object): void => {
    holder[key] = dispatcher
  }
  return {
    module: { Agent: before?.constructor, setGlobalDispatcher },
    restore: () => before && setGlobalDispatcher(before),
  }
}

/** Every module that the blocks import, loaded. */
export async function loadModules(blocks: readonly Block[]): Promise<Modules> {
  const names = blocks.flatMap(({ preamble, code }) =>
    [...`${preamble}\n${code}`.matchAll(/^(?:import|export)[^'"]*?['"]([^'"]+)['"]/gm)].map(([, name = '']) => name),
  )
  // The dispatcher is there once something was fetched.
  await fetch('data:,')
  const loaded = [...new Set(names)]
    .filter((name) => name !== 'vitest' && name !== 'undici')
    .map(async (name) => [name, await import(/* @vite-ignore */ name)] as const)
  return new Map(await Promise.all(loaded))
}

/** Runs a block to its end, with the tests it declares, and gives what it printed. */
export async function run(block: Block, modules: Modules): Promise<string> {
  let printed = ''
  const tests: (() => unknown)[] = []
  const it = (_name: string, test: () => unknown): void => void tests.push(test)
  const undici = builtInUndici()
  const own = new Map<string, unknown>([
    ['vitest', { ...vitest, it, test: it, describe: (_name: string, declare: () => void) => declare() }],
    ['undici', undici.module],
  ])
  const require = (name: string): unknown => own.get(name) ?? modules.get(name)
  const log = (...values: unknown[]): void => {
    printed += `${format(...values)}\n`
  }
  const stdout = { write: (text: string) => (printed += text) }
  const body = new AsyncFunction('require', 'exports', 'console', 'process', transpiled(block))
  try {
    await body(require, {}, { log, error: log }, Object.create(process, { stdout: { value: stdout } }))
    for (const test of tests) await test()
  } finally {
    undici.restore()
  }
  return printed
}
