import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { canonicalJson } from '../src/protocol/json.ts'
import { reduce } from '../src/protocol/reduce.ts'
import { initialState, type SessionState } from '../src/protocol/state.ts'
import { sqliteStore } from '../src/stores/sqlite/index.ts'
import { storedEvents } from '../src/testing/agent-world.ts'
import { chances } from '../src/testing/random-steps.ts'
import { createClient } from '../src/wire/client/index.ts'
import { chaosFetch } from './fixtures/chaos-fetch.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Served {
  readonly url: string
  readonly child: ChildProcess
}

async function serve(path: string, name: string): Promise<Served> {
  const script = fileURLToPath(new URL('./fixtures/wire-server-child.ts', import.meta.url))
  const child = fork(script, [path, name], { execArgv: ['--import', 'tsx'] })
  closers.push(() => kill(child))
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return { url, child }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

function replayable({ live: _live, ...state }: SessionState): string {
  return canonicalJson(state)
}

it('follows a session over two servers on one file, from one to the other, while one is killed in the middle of a reply', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stepwell-wire-'))
  closers.push(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'shared.db')
  const alive = [await serve(path, 'halting'), await serve(path, 'other')]
  const [first] = alive as [Served]

  const choose = chances(7)
  let isOn = true
  const route = (url: string): string => url.replace('http://any', alive[choose(alive.length)]?.url ?? '')
  const clients = [1, 2, 3].map((seed) =>
    createClient({ url: 'http://any', fetch: chaosFetch({ choose: chances(seed), isOn: () => isOn, route }) }),
  )
  closers.push(() => Promise.all(clients.map((client) => client.close())))
  const [one, ...others] = clients.map((client) => client.session('s'))
  if (one === undefined) throw new Error('There is a client.')
  const all = [one, ...others]
  await one.ready
  for (const session of all) session.subscribe(() => {})

  await one.run('Warm up.').result
  // From here the first process has the session: it is the only one that is asked.
  const [second] = alive.splice(1) as [Served]
  const run = one.run('Stop halfway.')
  const begun = new Promise<void>((resolve) => {
    one.subscribe(({ pending }) => {
      const [part] = pending.message?.parts ?? []
      if (part?.type === 'text' && part.text.length > 10) resolve()
    })
  })
  await begun
  alive.splice(0, 1, second)
  await kill(first.child)
  // Whoever asks next wakes the session in the other process.
  const queued = one.send('And then?', { mode: 'queue' })
  expect((await run.result).reason).toBe('stop')
  const { runId = '' } = await queued
  expect((await one.follow(runId).result).reason).toBe('stop')
  isOn = false

  const store = sqliteStore(path)
  closers.push(() => store.close())
  const truth = reduce(initialState('s'), await storedEvents(store))
  await Promise.all(
    all.map(
      (session) =>
        new Promise<void>((resolve) => {
          const look = (): void => {
            if (session.state.seq >= truth.seq) resolve()
          }
          session.subscribe(look)
          look()
        }),
    ),
  )
  expect(truth.history.filter(({ role }) => role === 'user')).toHaveLength(3)
  for (const session of all) expect(replayable(session.state)).toBe(replayable(truth))
}, 60_000)
