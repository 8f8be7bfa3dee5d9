import type { InputCommand } from '../../protocol/commands.ts'
import type { AgentEvent, HistoryEvent, MessageEvent, SessionCreatedEvent } from '../../protocol/events.ts'
import { makeSeq } from '../../protocol/seq.ts'
import type { Lease, ReadOptions, SessionRow, SessionStore } from '../../stores/store.ts'
import type { ConformanceCase } from '../conformance.ts'

export interface StoreConformanceOptions {
  /** Shown in front of each rule. */
  readonly name: string
  /** An empty store that takes the time (epoch ms) from `now`. Called once for each rule; the store is closed after it. */
  open(options: { now(): number }): SessionStore | Promise<SessionStore>
  /** A second handle on the storage of `store`, which may be closed already. Leave it out when the storage dies with the handle. */
  reopen?(store: SessionStore, options: { now(): number }): SessionStore | Promise<SessionStore>
  /** Makes the stored form of one event unreadable. Leave it out when events are not stored in any encoding. */
  corrupt?(store: SessionStore, id: string, seq: number): void | Promise<void>
}

/** What a rule works with. */
interface StoreWorld {
  readonly store: SessionStore
  /** The store's clock: set `time` (epoch ms) to move it. */
  readonly clock: { time: number }
  readonly options: StoreConformanceOptions
}

export type StoreRule = readonly [name: string, check: (world: StoreWorld) => Promise<void>]

export function casesOf(rules: readonly StoreRule[], options: StoreConformanceOptions): ConformanceCase[] {
  return rules.map(([name, check]) => ({
    name: `${options.name}: ${name}`,
    async run() {
      const clock = { time: 1_000_000 }
      const store = await options.open({ now: () => clock.time })
      try {
        await check({ store, clock, options })
      } finally {
        await store.close()
      }
    },
  }))
}

export const OWNER = { owner: 'host-a:1:aaaa', ttlMs: 15_000 }
export const OTHER = { owner: 'host-b:2:bbbb', ttlMs: 15_000 }

export async function create(
  store: SessionStore,
  id: string,
  row: Partial<SessionRow> = {},
  at = 1_000,
): Promise<void> {
  await store.create({ createdAt: at, ...row, id }, createdEvent(at))
}

export function historyEvent(seq: number): HistoryEvent {
  const parts = [{ type: 'text' as const, text: `message ${seq}` }]
  return { type: 'history', seq, at: 9, messages: [{ role: 'user', id: `m${seq}`, at: 5, parts }] }
}

export function createdEvent(at = 1_000): SessionCreatedEvent {
  return { type: 'session-created', seq: 1, at, v: 1 }
}

/** A session with an owner. */
export async function owned(store: SessionStore, id: string): Promise<Lease> {
  await create(store, id)
  return store.acquire(id, OWNER)
}

export function note(seq: number, text: string, at = 1_000, id = `note-${seq}`): MessageEvent {
  return { type: 'message', seq, at, message: { role: 'note', id, at, kind: 'system', text, toModel: false } }
}

/** The index-th event of a generation, saying so in its text. */
export function numbered(generation: number, index: number): MessageEvent {
  return note(makeSeq(generation, index), `${generation}/${index}`)
}

export function input(id: string, text: string, at = 1_000): InputCommand {
  return { type: 'input', id, at, mode: 'queue', parts: [{ type: 'text', text }] }
}

export async function readAll(store: SessionStore, id: string, options?: ReadOptions): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const batch of store.read(id, options)) events.push(...batch)
  return events
}

export async function seqsOf(store: SessionStore, id: string, options?: ReadOptions): Promise<number[]> {
  return (await readAll(store, id, options)).map((event) => event.seq)
}

/** Changes everything that lets itself be changed, everywhere inside. */
export function vandalise(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const inner of Object.values(value)) vandalise(inner)
  if (Object.isFrozen(value)) return
  if (Array.isArray(value)) value.length = 0
  else Object.assign(value, Object.fromEntries(Object.keys(value).map((key) => [key, 'changed'])), { added: 'changed' })
}
