import type { Command, Receipt } from '../protocol/commands.ts'
import type { AgentEvent, HistoryEvent, SessionCreatedEvent } from '../protocol/events.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Ledger } from '../protocol/ledger.ts'
import type { BlobRef } from '../protocol/messages.ts'
import type { SessionState } from '../protocol/state.ts'

/** A session as lists show it: written in the same transaction as the events that change it. */
export interface SessionRow {
  readonly id: string
  readonly title?: string
  readonly principal?: string
  readonly tenant?: string
  readonly profile?: string
  readonly parent?: string
  readonly metadata?: JsonObject
  readonly archived?: boolean
  /** Epoch ms. */
  readonly createdAt: number
  readonly updatedAt: number
  /** The seq of the last stored event. */
  readonly head: number
  /** The run that has no `finish` yet. */
  readonly openRun?: string
  /** The open run waits for nothing but requests. */
  readonly parked?: boolean
  /** Epoch ms at which the session wants to be woken. */
  readonly wakeAt?: number
}

/** `null` removes a field. */
export interface RowPatch {
  readonly title?: string | null
  readonly profile?: string | null
  readonly metadata?: JsonObject | null
  readonly archived?: boolean
  readonly openRun?: string | null
  readonly parked?: boolean
  readonly wakeAt?: number | null
}

export interface SessionQuery {
  readonly principal?: string
  readonly tenant?: string
  readonly parent?: string
  /** Part of the title, case ignored. */
  readonly search?: string
  /** Default: only those that are not archived. */
  readonly archived?: boolean
  /** Default 50, at most 500. */
  readonly limit?: number
  /** The `next` of the page before. */
  readonly cursor?: string
}

/** Newest `updatedAt` first. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly next?: string
}

export interface Lease {
  /** Raised by every acquire, from 1 to `MAX_GENERATION`. */
  readonly generation: number
  /** Epoch ms. */
  readonly expiresAt: number
  /** Aborted when a renewal found the lease in other hands. */
  readonly lost: AbortSignal
  /** Extends the lease by its ttl; rejects with `session.lease-lost` when another owner took it since. An expired lease that nobody took is renewed. */
  renew(): Promise<void>
  /** Gives it up. Harmless when it is lost already. */
  release(): Promise<void>
}

export interface Snapshot {
  /** `REDUCER_VERSION`: others are ignored. */
  readonly version: number
  readonly seq: number
  readonly state: SessionState
}

export interface ReadOptions {
  /** Only events with a higher seq. */
  readonly after?: number
  /** Only events with a lower seq. */
  readonly before?: number
  /** At most so many events: the first ones in the given direction. */
  readonly limit?: number
  /** `backward` gives the highest seqs first. Default `forward`. */
  readonly direction?: 'forward' | 'backward'
  /** Told of a row that cannot be decoded. It is left out; the others come. */
  onCorrupt?(row: { readonly seq: number; readonly reason: string }): void
}

export interface AppendOptions {
  readonly generation: number
  /** Stored under their command's id; a waiting command of that id leaves the inbox. A later receipt replaces an earlier one. */
  readonly receipts?: readonly Receipt[]
  readonly row?: RowPatch
}

/**
 * Where sessions live. Every method rejects with a `StoreError` (`store.*`) when the storage fails, and with a
 * `SessionError` where said. Values handed in may be kept and values handed out are the caller's: a store never shares
 * a mutable object with its caller. Values are normalised already (`normalise`).
 */
export interface SessionStore {
  /**
   * Writes the row and its `session-created` event (seq 1, generation 0) in one transaction, with the history it begins
   * with (seqs 2 and on) where it has one.
   * Rejects with `session.conflict` when the id is taken, and then changes nothing.
   */
  create(
    row: Omit<SessionRow, 'head' | 'updatedAt'>,
    created: SessionCreatedEvent,
    history?: readonly HistoryEvent[],
  ): Promise<void>
  get(id: string): Promise<SessionRow | undefined>
  list(query?: SessionQuery): Promise<Page<SessionRow>>
  /** Removes everything of the session, blobs too. Unknown ids are ignored. */
  delete(id: string): Promise<void>

  /**
   * Takes the session for one owner and raises the generation, atomically. `owner` is `host:pid:random`.
   * Rejects with `session.busy` while another owner's lease is live, unless `takeover`; a store that can see that the
   * owner's process is gone from its own host takes over at once. Rejects with `session.not-found` for an unknown id.
   */
  acquire(
    id: string,
    options: { readonly owner: string; readonly ttlMs: number; readonly takeover?: boolean },
  ): Promise<Lease>

  /**
   * One transaction: events, receipts, removal of the commands they answer, row. `head` and `updatedAt` follow from
   * the last event.
   * Fenced: rejects with `session.lease-lost` when a newer generation was given out.
   * Idempotent: the same events again under the same generation succeed and change nothing.
   * May assume that events come in seq order, above all that was stored.
   */
  append(id: string, events: readonly AgentEvent[], options: AppendOptions): Promise<void>

  /** Batches in seq order, each as large as the store likes. A reader sees whole appends or nothing of them. */
  read(id: string, options?: ReadOptions): AsyncIterable<readonly AgentEvent[]>

  /**
   * Puts a command into the inbox: unfenced, atomic, in order of arrival.
   * Gives the receipt when the command was judged before; undefined while it waits. The same id with other content
   * rejects with `session.conflict` (compare `type` and everything but `at` and `by`). Unknown session: `session.not-found`.
   */
  post(id: string, command: Command): Promise<Receipt | undefined>
  /** The waiting commands, oldest first. */
  commands(id: string): Promise<readonly Command[]>
  receipt(id: string, commandId: string): Promise<Receipt | undefined>

  /**
   * Sessions that want an owner and have no live lease: a command waiting longer than `olderThanMs`, an open run that
   * is not parked, or a `wakeAt` that passed.
   */
  due(olderThanMs: number): Promise<readonly string[]>
  /** The last stored seq of each; unknown ids are left out. One query. */
  heads(ids: readonly string[]): Promise<Readonly<Record<string, number>>>

  /** A cache: may be lost at any time. A snapshot below the stored one is ignored. */
  saveSnapshot(id: string, snapshot: Snapshot): Promise<void>
  snapshot(id: string): Promise<Snapshot | undefined>

  readonly blobs: {
    /** Resolves when the bytes can be read back. The same bytes give the same ref. */
    put(id: string, bytes: Uint8Array, mediaType?: string): Promise<BlobRef>
    get(id: string, sha256: string): Promise<Uint8Array | undefined>
  }

  /** What model calls have cost. Accounts and reservations of a session are deleted with it, others stay. */
  readonly ledger: Ledger

  /** Waits for what is under way. Later calls reject with `store.unavailable`. */
  close(): Promise<void>
}
