// What the tests of the store call in the page.
import { openDB } from 'idb'
import { errorInfo } from '../../src/protocol/errors.ts'
import { makeSeq } from '../../src/protocol/seq.ts'
import { initialState, REDUCER_VERSION } from '../../src/protocol/state.ts'
import { connect } from '../../src/stores/indexeddb/connection.ts'
import { indexedDBStore } from '../../src/stores/indexeddb/index.ts'
import type { Lease, SessionStore } from '../../src/stores/store.ts'
import { storeConformance } from '../../src/testing/store-conformance.ts'
import { create, input, note, OTHER, OWNER, owned, seqsOf } from '../../src/testing/store-rules/world.ts'

const names = new WeakMap<SessionStore, string>()
let databases = 0

function openDatabase(options: { now(): number }, name = `rule ${++databases}`): SessionStore {
  const store = indexedDBStore(name, options)
  names.set(store, name)
  return store
}

const nameOf = (store: SessionStore) => names.get(store) ?? ''

const rules = storeConformance({
  name: 'indexeddb',
  open: openDatabase,
  reopen: (store, options) => openDatabase(options, nameOf(store)),
  corrupt: (store, id, seq) => damage(nameOf(store), id, seq, '{"seq":'),
})

async function damage(name: string, id: string, seq: number, json: string): Promise<void> {
  const db = await openDB(name)
  const session = await db.getKeyFromIndex('sessions', 'id', id)
  await db.put('events', { session, seq, json })
  db.close()
}

export const ruleNames = (): string[] => rules.map(({ name }) => name)

export async function runRule(name: string): Promise<void> {
  const rule = rules.find((one) => one.name === name)
  if (!rule) throw new Error(`There is no rule ${name}`)
  await rule.run()
}

/** How a call ended: `ok`, or the code of its error. */
async function outcome(call: () => Promise<unknown>): Promise<string> {
  try {
    await call()
    return 'ok'
  } catch (error) {
    const { code, retryable } = errorInfo(error)
    return retryable ? `${code}, retryable` : code
  }
}

let kept: SessionStore | undefined
let lease: Lease | undefined

/** The store of this tab that stays open. */
function store(): SessionStore {
  kept ??= indexedDBStore('kept')
  return kept
}

export async function ask(name: string): Promise<string> {
  const asked = indexedDBStore(name)
  const answer = await outcome(() => asked.get('s'))
  await asked.close()
  return answer
}

export async function askAgain(): Promise<string> {
  return outcome(() => store().get('s'))
}

export async function take(id: string): Promise<void> {
  lease = await owned(store(), id)
}

export async function takeFromOther(id: string): Promise<string> {
  return outcome(async () => {
    lease = await store().acquire(id, OTHER)
  })
}

export async function openRun(id: string): Promise<void> {
  await store().append(id, [], { generation: lease?.generation ?? 0, row: { openRun: 'run' } })
}

export const due = async (): Promise<readonly string[]> => store().due(0)

/** Of this many attempts to take a session under different names, how many got it. */
export async function race(id: string, tab: string, attempts: number): Promise<number> {
  await outcome(() => create(store(), id))
  const tries = Array.from({ length: attempts }, (_, i) => store().acquire(id, { ...OWNER, owner: `tab:0:${tab}${i}` }))
  const results = await Promise.allSettled(tries)
  return results.filter(({ status }) => status === 'fulfilled').length
}

/** A note that the browser cannot make smaller. */
export async function appendNote(id: string, index: number, characters: number): Promise<string> {
  const noise = Array.from({ length: characters }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90)))
  const event = note(makeSeq(lease?.generation ?? 0, index), noise.join(''))
  const receipts = [{ commandId: `c${index}`, status: 'done' } as const]
  return outcome(() => store().append(id, [event], { generation: lease?.generation ?? 0, receipts }))
}

export async function stored(id: string): Promise<{ seqs: number[]; receipts: string[] }> {
  const ids = ['c1', 'c2', 'c3']
  const receipts = await Promise.all(ids.map((command) => store().receipt(id, command)))
  return { seqs: await seqsOf(store(), id), receipts: receipts.flatMap((receipt) => receipt?.commandId ?? []) }
}

/** A database as another application has it. */
export async function makeForeign(name: string): Promise<void> {
  const db = await openDB(name, 1, { upgrade: (made) => void made.createObjectStore('diary', { autoIncrement: true }) })
  await db.add('diary', 'Dear diary')
  db.close()
}

export async function foreignEntries(name: string): Promise<{ stores: string[]; entries: unknown[] }> {
  const db = await openDB(name)
  const found = { stores: [...db.objectStoreNames], entries: await db.getAll('diary') }
  db.close()
  return found
}

/** As a page with a later version of the library would. */
export async function upgrade(name: string): Promise<void> {
  const db = await openDB(name, 99)
  db.close()
}

/** A connection of an older page that does not make way, and one that needs a newer version meanwhile and after. */
export async function upgradeBeside(name: string): Promise<string[]> {
  const old = await openDB(name, 1, { upgrade: () => {} })
  const open = () => outcome(async () => (await connect(name, () => {}, 2)).close())
  const blocked = await open()
  old.close()
  return [blocked, await open()]
}

export async function askWithoutIndexedDB(): Promise<string> {
  Object.defineProperty(globalThis, 'indexedDB', { value: undefined })
  return ask('none')
}

/** Commands posted one after the other without waiting, the first taking longest to hash. */
export async function postAtOnce(id: string): Promise<string[]> {
  await create(store(), id)
  const sizes = [4_000_000, 10, 100_000, 1]
  await Promise.all(sizes.map((size, i) => store().post(id, input(`c${i}`, 'x'.repeat(size)))))
  return (await store().commands(id)).map((command) => command.id)
}

export async function withGarbage(): Promise<unknown> {
  const { generation } = await owned(store(), 'g')
  await store().append('g', [note(makeSeq(1, 1), 'a'), note(makeSeq(1, 2), 'b'), note(makeSeq(1, 3), 'c')], {
    generation,
    receipts: [{ commandId: 'judged', status: 'done' }],
  })
  await store().post('g', input('c1', 'x'))
  await store().post('g', input('c2', 'y'))
  await store().saveSnapshot('g', { version: REDUCER_VERSION, seq: 1, state: initialState('g') })
  await damage('kept', 'g', makeSeq(1, 1), 'null')
  await damage('kept', 'g', makeSeq(1, 2), '{')
  const db = await openDB('kept')
  const session = (await db.getKeyFromIndex('sessions', 'id', 'g')) as number
  await db.put('snapshots', { session, version: REDUCER_VERSION, seq: 1, json: '{' })
  await db.put('receipts', { session, id: 'judged', json: '{' })
  const waiting = await db.getFromIndex('inbox', 'command', [session, 'c1'])
  const arrival = await db.getKeyFromIndex('inbox', 'command', [session, 'c1'])
  await db.put('inbox', { ...waiting, json: '{' }, arrival)
  db.close()

  const reported: number[] = []
  return {
    seqs: await seqsOf(store(), 'g', { onCorrupt: ({ seq }) => reported.push(seq) }),
    reported,
    snapshot: (await store().snapshot('g')) ?? 'none',
    commands: (await store().commands('g')).map((command) => command.id),
    receipt: await outcome(() => store().receipt('g', 'judged')),
  }
}
