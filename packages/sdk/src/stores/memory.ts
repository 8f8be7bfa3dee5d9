import type { Command, Receipt } from '../protocol/commands.ts'
import type { AgentEvent } from '../protocol/events.ts'
import type { Ledger } from '../protocol/ledger.ts'
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
import { newEvents } from './new-events.ts'
import { patchRow } from './patch-row.ts'
import type { ReadOptions, SessionRow, SessionStore, Snapshot } from './store.ts'

/** Events handed out at once by `read`. */
const BATCH = 500

interface StoredSession {
  row: SessionRow
  readonly events: AgentEvent[]
  generation: number
  owner?: { readonly name: string; readonly generation: number; expiresAt: number }
  readonly inbox: Map<string, { readonly command: Command; readonly arrivedAt: number }>
  /** With the command itself where it came by the inbox, to recognise a repetition. */
  readonly receipts: Map<string, { readonly receipt: Receipt; readonly command?: Command }>
  snapshot?: Snapshot
  readonly blobs: Map<string, Uint8Array>
}

export interface MemoryStoreOptions {
  /** Epoch ms, for leases and `due`. */
  now?(): number
}

/** Sessions of one process, gone with it. The default store, and the measure for all others. What it hands out is frozen. */
export function memoryStore(options: MemoryStoreOptions = {}): SessionStore {
  const now = options.now ?? Date.now
  const sessions = new Map<string, StoredSession>()
  const underWay = new Set<Promise<unknown>>()
  let closed = false
  let books: Promise<Ledger> | undefined

  function find(id: string): StoredSession | undefined {
    if (closed) throw storeClosed()
    return sessions.get(id)
  }

  function existing(id: string): StoredSession {
    const session = find(id)
    if (!session) throw sessionNotFound(id)
    return session
  }

  function hasLiveLease(session: StoredSession): boolean {
    return session.owner !== undefined && session.owner.expiresAt > now()
  }

  async function ledger(): Promise<Ledger> {
    books ??= import('./rare.ts').then(({ memoryLedger }) => memoryLedger(find, existing))
    const opened = await books
    if (closed) throw storeClosed()
    return opened
  }

  return {
    async create(row, created, history = []) {
      checkSessionId(row.id)
      if (find(row.id)) throw sessionTaken(row.id)
      sessions.set(row.id, {
        row: frozenCopy({ ...row, head: history.at(-1)?.seq ?? created.seq, updatedAt: created.at }),
        events: [created, ...history].map((event) => frozenCopy(event)),
        generation: 0,
        inbox: new Map(),
        receipts: new Map(),
        blobs: new Map(),
      })
    },

    async get(id) {
      return find(id)?.row
    },

    async list(query = {}) {
      if (closed) throw storeClosed()
      const rows = Array.from(sessions.values(), ({ row }) => row)
      return (await import('./rare.ts')).pageOf(rows, query)
    },

    async delete(id) {
      if (find(id)) sessions.delete(id)
    },

    async acquire(id, { owner, ttlMs, takeover }) {
      const session = existing(id)
      if (hasLiveLease(session) && session.owner?.name !== owner && !takeover) {
        throw sessionBusy(id, session.owner?.expiresAt ?? now())
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
      const fresh = newEvents(
        id,
        events,
        session.row.head,
        (seq) => session.events[firstAbove(session.events, seq - 1)]?.seq === seq,
      )
      if (events.length > 0 && fresh.length === 0) return
      const copies = fresh.map(frozenCopy)
      const patched = frozenCopy(patchRow(session.row, row, fresh.at(-1)))
      for (const receipt of receipts.map(frozenCopy)) {
        const command =
          session.inbox.get(receipt.commandId)?.command ?? session.receipts.get(receipt.commandId)?.command
        session.receipts.set(receipt.commandId, { receipt, ...(command && { command }) })
        session.inbox.delete(receipt.commandId)
      }
      for (const event of copies) session.events.push(event)
      session.row = patched
    },

    async *read(id, options = {}) {
      const events = find(id)?.events ?? []
      const { start, end } = rangeOf(events, options)
      if (options.direction === 'backward') {
        for (let to = end; to > start; to -= BATCH) yield events.slice(Math.max(start, to - BATCH), to).reverse()
      } else {
        for (let from = start; from < end; from += BATCH) yield events.slice(from, Math.min(end, from + BATCH))
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
      return [...(find(id)?.inbox.values() ?? [])].map((waiting) => waiting.command)
    },

    async receipt(id, commandId) {
      return find(id)?.receipts.get(commandId)?.receipt
    },

    async due(olderThanMs) {
      const { wantsOwner } = await import('./rare.ts')
      if (closed) throw storeClosed()
      return [...sessions.values()]
        .filter((session) => !hasLiveLease(session) && wantsOwner(session, now(), olderThanMs))
        .map((session) => session.row.id)
    },

    async heads(ids) {
      if (closed) throw storeClosed()
      return Object.fromEntries(
        ids.flatMap((id) => {
          const session = sessions.get(id)
          return session ? [[id, session.row.head]] : []
        }),
      )
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

    blobs: {
      async put(id, bytes) {
        existing(id)
        const own = bytes.slice()
        const hashing = import('./rare.ts').then(({ sha256Of }) => sha256Of(own))
        underWay.add(hashing)
        try {
          const sha256 = await hashing
          existing(id).blobs.set(sha256, own)
          return { sha256, size: own.length }
        } finally {
          underWay.delete(hashing)
        }
      },
      async get(id, sha256) {
        return find(id)?.blobs.get(sha256)?.slice()
      },
    },

    ledger: {
      reserve: async (...call) => (await ledger()).reserve(...call),
      settle: async (...call) => (await ledger()).settle(...call),
      spent: async (account) => (await ledger()).spent(account),
      open: async (sessionId) => (await ledger()).open(sessionId),
    },

    async close() {
      await Promise.allSettled(underWay)
      closed = true
      sessions.clear()
    },
  }
}

/** Fixed when the read starts, so that a reader sees whole appends: the log only grows at its end. */
function rangeOf(events: readonly AgentEvent[], options: ReadOptions): { start: number; end: number } {
  const start = options.after === undefined ? 0 : firstAbove(events, options.after)
  const end = options.before === undefined ? events.length : firstAbove(events, options.before - 1)
  const limit = options.limit ?? Number.POSITIVE_INFINITY
  return options.direction === 'backward'
    ? { start: Math.max(start, end - limit), end }
    : { start, end: Math.min(end, start + limit) }
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
