import type { Command, Receipt } from '../protocol/commands.ts'
import type { AgentEvent } from '../protocol/events.ts'
import { MAX_GENERATION } from '../protocol/seq.ts'
import { checkSessionId } from '../protocol/session-id.ts'
import { REDUCER_VERSION } from '../protocol/state.ts'
import { commandContent } from './command-content.ts'
import {
  commandConflict,
  generationsUsedUp,
  leaseLost,
  sessionBusy,
  sessionNotFound,
  sessionTaken,
  storeClosed,
} from './errors.ts'
import { frozenCopy } from './frozen-copy.ts'
import { makeLease } from './lease.ts'
import type { MemoryRest } from './memory-rest.ts'
import { newEvents } from './new-events.ts'
import { patchRow } from './patch-row.ts'
import type { SessionRow, SessionStore, Snapshot } from './store.ts'

/** Events handed out at once by `read`. */
const BATCH = 500

export interface StoredSession {
  row: SessionRow
  readonly events: AgentEvent[]
  generation: number
  owner?: { readonly name: string; readonly generation: number; expiresAt: number }
  readonly inbox: Map<string, { readonly command: Command; readonly arrivedAt: number }>
  /** With the command itself where it came by the inbox, to recognise a repetition. */
  readonly receipts: Map<string, { readonly receipt: Receipt; readonly command: Command | undefined }>
  snapshot?: Snapshot
}

export interface MemoryStoreOptions {
  /** Epoch ms, for leases and `due`. */
  now?(): number
}

/** Sessions of one process, gone with it. The default store, and the measure for all others. What it hands out is frozen. */
export function memoryStore(options: MemoryStoreOptions = {}): SessionStore {
  const now = options.now ?? Date.now
  const sessions = new Map<string, StoredSession>()
  let putting: Promise<unknown> | undefined
  let closed = false
  let rest: MemoryRest | undefined

  function all(): ReadonlyMap<string, StoredSession> {
    if (closed) throw storeClosed()
    return sessions
  }

  function find(id: string): StoredSession | undefined {
    return all().get(id)
  }

  function existing(id: string): StoredSession {
    const session = find(id)
    if (!session) throw sessionNotFound(id)
    return session
  }

  function hasLiveLease({ owner }: StoredSession): boolean {
    return owner !== undefined && owner.expiresAt > now()
  }

  /** What an ordinary run never asks for. */
  async function others(): Promise<MemoryRest> {
    all()
    const { memoryRest } = await import('./memory-rest.ts')
    rest ??= memoryRest({ all, find, existing, hasLiveLease, now, frozenCopy })
    all()
    return rest
  }

  return {
    async create(row, created, history = []) {
      checkSessionId(row.id)
      if (find(row.id)) throw sessionTaken(row.id)
      sessions.set(row.id, {
        row: frozenCopy({ ...row, head: history.at(-1)?.seq ?? created.seq, updatedAt: created.at }),
        events: [created, ...history].map(frozenCopy),
        generation: 0,
        inbox: new Map(),
        receipts: new Map(),
      })
    },

    async get(id) {
      return find(id)?.row
    },

    async delete(id) {
      if (find(id)) sessions.delete(id)
    },

    async acquire(id, { owner, ttlMs, takeover }) {
      const session = existing(id)
      if (session.owner && hasLiveLease(session) && session.owner.name !== owner && !takeover) {
        throw sessionBusy(id, session.owner.expiresAt)
      }
      if (session.generation >= MAX_GENERATION) throw generationsUsedUp(id)
      const generation = ++session.generation
      const mine = { name: owner, generation, expiresAt: now() + ttlMs }
      session.owner = mine
      return makeLease(generation, mine.expiresAt, {
        async renew() {
          if (find(id)?.owner !== mine) throw leaseLost(id, generation)
          mine.expiresAt = now() + ttlMs
          return mine.expiresAt
        },
        async release() {
          if (session.owner === mine) delete session.owner
        },
      })
    },

    async append(id, events, { generation, receipts = [], row }) {
      const session = existing(id)
      if (generation !== session.generation) throw leaseLost(id, generation)
      const isStored = (seq: number) => session.events[firstAbove(session.events, seq - 1)]?.seq === seq
      const fresh = newEvents(id, events, session.row.head, isStored)
      if (events.length > 0 && fresh.length === 0) return
      const copies = fresh.map(frozenCopy)
      const patched = frozenCopy(patchRow(session.row, row, fresh.at(-1)))
      for (const receipt of receipts.map(frozenCopy)) {
        const { commandId } = receipt
        const { command } = session.inbox.get(commandId) ?? session.receipts.get(commandId) ?? {}
        session.receipts.set(commandId, { receipt, command })
        session.inbox.delete(commandId)
      }
      for (const event of copies) session.events.push(event)
      session.row = patched
    },

    async *read(id, { after = 0, before = Infinity, limit = Infinity, direction } = {}) {
      const events = find(id)?.events ?? []
      // Fixed when the read starts, so that a reader sees whole appends: the log only grows at its end.
      let start = firstAbove(events, after)
      let end = firstAbove(events, before - 1)
      if (direction === 'backward') {
        start = Math.max(start, end - limit)
        for (; end > start; end -= BATCH) yield events.slice(Math.max(start, end - BATCH), end).reverse()
      } else {
        end = Math.min(end, start + limit)
        for (; start < end; start += BATCH) yield events.slice(start, Math.min(end, start + BATCH))
      }
    },

    async post(id, command) {
      const session = existing(id)
      const judged = session.receipts.get(command.id)
      const known = judged?.command ?? session.inbox.get(command.id)?.command
      if (known && commandContent(known) !== commandContent(command)) throw commandConflict(id, command.id)
      if (!judged && !known) session.inbox.set(command.id, { command: frozenCopy(command), arrivedAt: now() })
      return judged?.receipt
    },

    async commands(id) {
      return Array.from(find(id)?.inbox.values() ?? [], ({ command }) => command)
    },

    async receipt(id, commandId) {
      return find(id)?.receipts.get(commandId)?.receipt
    },

    async heads(ids) {
      const held = all()
      const rows = ids.flatMap((id) => held.get(id)?.row ?? [])
      return Object.fromEntries(rows.map(({ id, head }) => [id, head]))
    },

    async saveSnapshot(id, snapshot) {
      const session = existing(id)
      if (session.snapshot?.version === snapshot.version && session.snapshot.seq > snapshot.seq) return
      session.snapshot = frozenCopy(snapshot)
    },

    async snapshot(id) {
      const snapshot = find(id)?.snapshot
      return snapshot?.version === REDUCER_VERSION ? snapshot : undefined
    },

    list: async (query) => (await others()).list(query),
    due: async (olderThanMs) => (await others()).due(olderThanMs),

    blobs: {
      async put(id, bytes) {
        existing(id)
        const own = bytes.slice()
        const put = others().then(({ blobs }) => blobs.put(id, own))
        putting = Promise.allSettled([putting, put])
        return put
      },
      get: async (id, sha256) => (await others()).blobs.get(id, sha256),
    },

    ledger: {
      reserve: async (...call) => (await others()).ledger.reserve(...call),
      settle: async (...call) => (await others()).ledger.settle(...call),
      spent: async (account) => (await others()).ledger.spent(account),
      open: async (sessionId) => (await others()).ledger.open(sessionId),
    },

    async close() {
      await putting
      closed = true
      sessions.clear()
    },
  }
}

/** The index of the first event with a higher seq. */
function firstAbove(events: readonly AgentEvent[], seq: number): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((events[middle]?.seq ?? 0) > seq) high = middle
    else low = middle + 1
  }
  return low
}
