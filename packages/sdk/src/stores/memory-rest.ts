import type { BlobRef } from '../protocol/messages.ts'
import type { StoredSession } from './memory.ts'
import { memoryLedger } from './memory-ledger.ts'
import { pageOf } from './page.ts'
import { sha256Of } from './sha256.ts'
import type { SessionStore } from './store.ts'
import { wantsOwner } from './wants-owner.ts'

/** What an ordinary run never asks of the memory store, loaded when something does. */
export interface MemoryRest extends Pick<SessionStore, 'list' | 'due' | 'ledger'> {
  readonly blobs: {
    /** Keeps the bytes themselves. */
    put(id: string, own: Uint8Array<ArrayBuffer>): Promise<BlobRef>
    get(id: string, sha256: string): Promise<Uint8Array | undefined>
  }
}

/** What the store lends. `all` and the ways to one session throw when it is closed. */
interface MemoryStoreParts {
  all(): ReadonlyMap<string, StoredSession>
  find(id: string): StoredSession | undefined
  existing(id: string): StoredSession
  hasLiveLease(session: StoredSession): boolean
  now(): number
  frozenCopy<T>(value: T): T
}

export function memoryRest({ all, find, existing, hasLiveLease, now, frozenCopy }: MemoryStoreParts): MemoryRest {
  const blobsOf = new WeakMap<StoredSession, Map<string, Uint8Array>>()

  return {
    async list(query = {}) {
      return pageOf(
        Array.from(all().values(), ({ row }) => row),
        query,
      )
    },

    async due(olderThanMs) {
      return [...all().values()]
        .filter((session) => !hasLiveLease(session) && wantsOwner(session, now(), olderThanMs))
        .map((session) => session.row.id)
    },

    blobs: {
      async put(id, own) {
        const sha256 = await sha256Of(own)
        const session = existing(id)
        const blobs = blobsOf.get(session) ?? new Map<string, Uint8Array>()
        blobsOf.set(session, blobs.set(sha256, own))
        return { sha256, size: own.length }
      },
      async get(id, sha256) {
        const session = find(id)
        return session && blobsOf.get(session)?.get(sha256)?.slice()
      },
    },

    ledger: memoryLedger(find, existing, frozenCopy),
  }
}
