import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AgentEvent } from '../src/protocol/events.ts'
import { makeSeq } from '../src/protocol/seq.ts'
import { sqliteStore } from '../src/stores/sqlite/index.ts'
import type { SessionStore } from '../src/stores/store.ts'
import type { ChildCall } from './fixtures/sqlite-child.ts'

const OWNER = { owner: `${hostname()}:${process.pid}:parent`, ttlMs: 3_600_000 }

let folder = ''
let store: SessionStore
let children: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stepwell-processes-'))
  store = sqliteStore(join(folder, 'shared.db'))
})

afterEach(async () => {
  await Promise.all(children.map(kill))
  children = []
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function startChild(): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('./fixtures/sqlite-child.ts', import.meta.url))
  const child = fork(script, [join(folder, 'shared.db')], { execArgv: ['--import', 'tsx'] })
  children.push(child)
  expect(await answer(child)).toBe('ready')
  return child
}

async function answer(child: ChildProcess): Promise<unknown> {
  const died = once(child, 'exit').then(() => [{ error: 'the child ended' }])
  const [reply] = (await Promise.race([once(child, 'message'), died])) as [{ value?: unknown; error?: string }]
  if (reply.error) throw new Error(reply.error)
  return reply.value
}

function ask(child: ChildProcess, call: ChildCall): Promise<unknown> {
  const reply = answer(child)
  child.send(call)
  return reply
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

function notices(generation: number, count: number): AgentEvent[] {
  return Array.from({ length: count }, (_, i) => ({
    type: 'notice',
    seq: makeSeq(generation, i + 1),
    at: i,
    code: 'test',
    text: `${i}`,
  }))
}

async function count(id: string): Promise<number> {
  let events = 0
  for await (const batch of store.read(id)) events += batch.length
  return events
}

it('lets several processes create one file at once and write to it side by side', async () => {
  const started = await Promise.all([startChild(), startChild(), startChild()])
  await Promise.all(started.map((child, i) => ask(child, { do: 'create', id: `s${i}` })))
  const generations = await Promise.all(started.map((child, i) => ask(child, { do: 'acquire', id: `s${i}` })))
  expect(generations).toEqual([1, 1, 1])
  await Promise.all(
    started.map((child, i) => ask(child, { do: 'append', id: `s${i}`, events: notices(1, 100), generation: 1 })),
  )
  expect(await Promise.all([count('s0'), count('s1'), count('s2')])).toEqual([101, 101, 101])
}, 60_000)

it('brings a command posted by one process to the owner in another', async () => {
  await store.create({ id: 's', createdAt: 1 }, { type: 'session-created', seq: 1, at: 1, v: 1 })
  await store.acquire('s', OWNER)
  const child = await startChild()
  await ask(child, { do: 'post', id: 's' })
  expect((await store.commands('s')).map((command) => command.id)).toEqual([`of-${child.pid}`])
  await expect(ask(child, { do: 'acquire', id: 's' })).rejects.toThrow('Another owner')
}, 60_000)

it('takes over at once from an owner that was killed, and fences it', async () => {
  const child = await startChild()
  await ask(child, { do: 'create', id: 's' })
  await ask(child, { do: 'acquire', id: 's' })
  await ask(child, { do: 'append', id: 's', events: notices(1, 3), generation: 1 })
  await expect(store.acquire('s', OWNER)).rejects.toMatchObject({ code: 'session.busy' })
  expect(await store.due(0)).toEqual([])

  await kill(child)
  expect(await store.due(0)).toEqual(['s'])
  expect((await store.acquire('s', OWNER)).generation).toBe(2)
  expect(await count('s')).toBe(4)
  await expect(store.append('s', notices(1, 4), { generation: 1 })).rejects.toMatchObject({
    code: 'session.lease-lost',
  })
}, 60_000)

it('holds processes that spend at once within one limit, and forgets nothing when they are killed', async () => {
  const children = await Promise.all([startChild(), startChild(), startChild()])
  await Promise.all(children.map((child, i) => ask(child, { do: 'create', id: `s${i}` })))
  const spent = await Promise.all(
    children.map((child, i) => ask(child, { do: 'spend', id: `s${i}`, attempts: 100, limit: 1_500 })),
  )
  expect(spent.reduce((sum: number, count) => sum + Number(count), 0)).toBe(150)
  await Promise.all(children.map(kill))
  expect(await store.ledger.spent({ name: 'everyone' })).toEqual({ tokens: 1_500, costs: [], unpriced: 150 })
  const open = await Promise.all(children.map((_, i) => store.ledger.open(`s${i}`)))
  expect(open.map(({ length }) => length)).toEqual(spent)
  for (const { key } of open.flat()) await store.ledger.settle(key, {})
  expect((await store.ledger.spent({ name: 'everyone' })).tokens).toBe(1_500)
}, 60_000)
