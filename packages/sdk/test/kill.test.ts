import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent } from '../src/agent/create-agent.ts'
import type { AgentEvent } from '../src/protocol/events.ts'
import { sqliteStore } from '../src/stores/sqlite/index.ts'
import { stateWhere, storedEvents } from '../src/testing/agent-world.ts'
import { manualClock } from '../src/testing/manual-clock.ts'
import { brokenPromises } from '../src/testing/promises.ts'
import { chances } from '../src/testing/random-steps.ts'
import type { ShownLine } from './fixtures/killed-child.ts'
import { sixTurns } from './fixtures/six-turns.ts'
import {
  expectAllSaid,
  expectKept,
  expectNoWriteTwice,
  expectTrueResults,
  expectWhole,
  fold,
} from './fixtures/survival.ts'

const KILLS = 30

let folder = ''
let script = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stepwell-kill-'))
  script = join(folder, 'child.mjs')
  symlinkSync(
    fileURLToPath(new URL('../../../node_modules', import.meta.url)),
    join(folder, 'node_modules'),
    'junction',
  )
  await build({
    entryPoints: [fileURLToPath(new URL('./fixtures/killed-child.ts', import.meta.url))],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Life {
  readonly child: ChildProcess
  readonly path: string
  readonly shownPath: string
  readonly effectsPath: string
}

async function startChild(name: string): Promise<Life> {
  const path = join(folder, `${name}.db`)
  const files = [path, `${path}.shown`, `${path}.effects`] as const
  const child = fork(script, [...files], { execArgv: [] })
  await once(child, 'message')
  return { child, path, shownPath: files[1], effectsPath: files[2] }
}

/** Resolves with whether the run is over. */
async function step(child: ChildProcess): Promise<boolean> {
  const answered = once(child, 'message')
  child.send('step')
  const [{ isOver }] = (await answered) as [{ isOver: boolean }]
  return isOver
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

const lines = (path: string): string[] => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [])

/** What was on screen before the last append that reached the store. */
function safelyShown(shownPath: string): AgentEvent[] {
  const noted = lines(shownPath).map((line) => JSON.parse(line) as ShownLine)
  const flushes = noted.filter((line) => 'flushed' in line)
  const events = noted.filter((line): line is AgentEvent => !('flushed' in line))
  return events.slice(0, flushes.at(-1)?.flushed ?? 0)
}

/** Reopens what a killed process left, goes on with it, and checks what its people and the world got to see. */
async function survive({ path, shownPath, effectsPath }: Life, onInterrupted: 'finish' | 'resume'): Promise<void> {
  const clock = manualClock(1_000_000)
  const store = sqliteStore(path, { now: clock.now })
  const left = await storedEvents(store)
  const wasOpen = fold(left).run !== undefined
  expect(brokenPromises(left, { isOpen: true })).toEqual([])
  expectKept(safelyShown(shownPath), left)

  const { model, tools } = sixTurns({
    pause: async () => {},
    act: async (effect, key) => appendFileSync(effectsPath, `${effect} ${key}\n`),
  })
  const agent = createAgent({ model, tools, store, clock, onInterrupted })
  const session = await agent.session('s')
  if (onInterrupted === 'resume' && wasOpen) {
    expectAllSaid(await stateWhere(session, (state) => state.run === undefined))
  } else if (wasOpen) {
    expect(session.state).toMatchObject({ status: 'idle', lastFinish: { reason: 'interrupted' } })
    expectKept(left, await storedEvents(store))
  }
  expect(await session.run('And now?').text()).toBe('Very well.')
  expectWhole(await storedEvents(store), session.state)
  expectTrueResults(session.state, lines(effectsPath))
  expectNoWriteTwice(lines(effectsPath))
  await agent.close()
}

async function countSteps(): Promise<number> {
  const { child, path } = await startChild('undisturbed')
  let steps = 1
  while (!(await step(child))) steps++
  await kill(child)
  const store = sqliteStore(path)
  expectAllSaid(fold(await storedEvents(store)))
  await store.close()
  return steps
}

test('a process killed at any step leaves a session that goes on', async () => {
  const steps = await countSteps()
  expect(steps).toBeGreaterThanOrEqual(20)
  const choose = chances(7)
  for (let i = 0; i < KILLS; i++) {
    const life = await startChild(`killed-${i}`)
    for (let taken = choose(steps); taken > 0; taken--) await step(life.child)
    // Half of them in the middle of a step, whatever it is at by then.
    if (choose(2) === 0) life.child.send('step')
    await kill(life.child)
    await survive(life, choose(2) === 0 ? 'finish' : 'resume')
  }
}, 60_000)
