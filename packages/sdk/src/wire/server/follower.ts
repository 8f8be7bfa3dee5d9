import type { Feed } from '../../agent/feed.ts'
import { untold } from '../../agent/untold.ts'
import { mergeAdjoining } from '../../protocol/deltas.ts'
import type { AgentEvent, EventBatch } from '../../protocol/events.ts'
import { generationOf } from '../../protocol/seq.ts'
import type { SessionStore } from '../../stores/store.ts'
import type { EventStream, StreamListener } from './event-stream.ts'
import { Frame, messageFrame, type StreamKind } from './frame.ts'

/** What may wait for one slow reader, in characters of JSON, before it is merged, and then left to the store. */
const MAX_WAITING = 512 * 1024
/** More events than that are a long way. */
const PAGE = 1_024
/** A reader of several sessions that is further behind than so many events reads the snapshot. */
const MAX_BEHIND = 20_000

/** A session, for all who follow it. */
export interface FollowedSession {
  readonly session: { readonly id: string; readonly feed: Feed }
  readonly store: SessionStore
  /** The connection ended. */
  leave(follower: Follower): void
  /** The store cannot be read: the connection is of no use. */
  onFailure(follower: Follower, thrown: unknown): void
}

/**
 * What becomes of what is shown. `behind`: it is left to the store. `collecting`: it waits, while what was before it is
 * read. `live`: it is sent, as soon as there is room.
 */
type Phase = 'behind' | 'collecting' | 'live' | 'over'

interface Waiting {
  readonly batches: EventBatch[]
  /** In characters of JSON. */
  size: number
}

/**
 * One session on one connection. It follows what is shown while the network keeps up. What waits is merged, beyond that
 * forgotten and read again from the store, a page at a time and no faster than it is sent.
 *
 * Every frame's `prev` is the `head` of the frame before.
 */
export class Follower implements StreamListener {
  readonly stream: EventStream
  readonly kind: StreamKind
  readonly #followed: FollowedSession
  /** The seq the reader is at. */
  #cursor: number
  #phase: Phase = 'behind'
  #waiting: Waiting | undefined
  /** Set while it reads: goes on with that when there is room. */
  #readOn: (() => void) | undefined

  constructor(followed: FollowedSession, stream: EventStream, kind: StreamKind, after: number) {
    this.stream = stream
    this.kind = kind
    this.#followed = followed
    this.#cursor = after
  }

  /** Whether it is at the last thing shown, and the network keeps up. */
  get isIdle(): boolean {
    return this.#phase === 'live' && this.#waiting === undefined && this.stream.hasRoom
  }

  /** Begins, or goes on, as far as there is room. */
  onRoom(): void {
    if (this.#isOver || !this.stream.hasRoom) return
    if (this.#phase === 'live') this.#sendWaiting()
    else if (this.#readOn === undefined) void this.#read()
    else this.#readOn()
  }

  onClose(): void {
    this.#followed.leave(this)
  }

  end(): void {
    this.#phase = 'over'
    this.#readOn?.()
    this.#waiting = undefined
  }

  /** A batch that is shown now. */
  take(frame: Frame): void {
    if (!this.#isCollecting) return
    if (this.isIdle) return this.#send(frame)
    this.#waiting ??= { batches: [], size: 0 }
    this.#waiting.batches.push(frame.batch)
    this.#waiting.size += frame.size
    if (this.#waiting.size > MAX_WAITING) this.#merge(this.#waiting.batches)
  }

  /** Says where the reader is: `shared` says it for those that are at the last thing shown. */
  beat(shared: Frame): void {
    if (!this.isIdle) return
    if (shared.batch.head === this.#cursor) this.stream.write(shared.bytes(this.kind))
    else this.#write([])
  }

  #send(frame: Frame): void {
    const { batch } = frame
    if (batch.prev !== this.#cursor) return this.#write(batch.events, batch.fault)
    this.stream.write(frame.bytes(this.kind))
    this.#cursor = batch.head
  }

  /** A frame of this reader's own. Without news it is a heartbeat. */
  #write(all: readonly AgentEvent[], fault?: EventBatch['fault']): void {
    const prev = this.#cursor
    const events = all.filter(({ seq }) => seq > prev)
    const head = events.at(-1)?.seq ?? prev
    const frame = new Frame(this.#followed.session.id, { prev, head, events, ...(fault && { fault }) })
    this.stream.write(frame.bytes(this.kind))
    this.#cursor = head
  }

  #sendWaiting(): void {
    if (this.#waiting === undefined) return
    const { batches } = this.#waiting
    this.#waiting = undefined
    const fault = batches.findLast((batch) => batch.fault !== undefined)?.fault
    this.#write(mergeAdjoining(batches.flatMap(({ events }) => events)), fault)
  }

  #merge(batches: readonly EventBatch[]): void {
    const first = batches[0] as EventBatch
    const last = batches.at(-1) as EventBatch
    const merged: EventBatch = {
      prev: first.prev,
      head: last.head,
      events: mergeAdjoining(batches.flatMap(({ events }) => events)),
      ...(last.fault && { fault: last.fault }),
    }
    const { size } = new Frame(this.#followed.session.id, merged)
    if (size > MAX_WAITING / 2) return this.#leaveToStore()
    this.#waiting = { batches: [merged], size }
  }

  #leaveToStore(): void {
    this.#phase = 'behind'
    this.#waiting = undefined
  }

  /** Reads from the store until the reader is at what is shown, no faster than it is sent. */
  async #read(): Promise<void> {
    this.#readOn = () => {}
    try {
      while (this.#phase === 'behind' || this.#phase === 'collecting') {
        if (this.#isLost(0)) this.#resync()
        else if (this.#isAtHead) this.#goLive([])
        else if (!(await this.#readPage())) await this.#readRest()
      }
    } catch (thrown) {
      if (!this.#isOver) this.#followed.onFailure(this, thrown)
    } finally {
      this.#readOn = undefined
    }
    this.onRoom()
  }

  /** A long way, in one reading: what is shown meanwhile is left to the store. */
  async #readRest(): Promise<void> {
    const { session, store } = this.#followed
    const { id, feed } = session
    let read = 0
    await this.#room()
    for await (const batch of store.read(id, { after: this.#cursor, before: feed.state.seq + 1 })) {
      if (this.#isOver || this.#isLost(read)) return
      read += batch.length
      this.#write(batch)
      await this.#room()
    }
  }

  async #room(): Promise<void> {
    while (!this.#isOver && !this.stream.hasRoom) {
      await new Promise<void>((resolve) => {
        this.#readOn = resolve
      })
    }
  }

  /** The last bit of the way, or the first of a long one: then false. */
  async #readPage(): Promise<boolean> {
    const { session, store } = this.#followed
    const { id, feed } = session
    const after = this.#cursor
    const upTo = feed.state.seq
    const unstored = feed.unstored()
    this.#phase = 'collecting'
    const stored: AgentEvent[] = []
    for await (const batch of store.read(id, { after, before: upTo + 1, limit: PAGE })) {
      for (const event of batch) stored.push(event)
    }
    if (this.#isOver) return true
    // What was shown meanwhile may have been too much.
    if (stored.length >= PAGE || !this.#isCollecting) {
      this.#leaveToStore()
      if (stored.length > 0) this.#write(stored)
      return false
    }
    this.#goLive([...stored, ...untold(unstored, stored, after)].sort((a, b) => a.seq - b.seq))
    return true
  }

  #goLive(last: readonly AgentEvent[]): void {
    this.#phase = 'live'
    this.#write(last)
  }

  /** Whether the reader had better begin anew: nobody knows of where it is, or a snapshot is shorter than the way. */
  #isLost(read: number): boolean {
    const { seq } = this.#followed.session.feed.state
    if (generationOf(this.#cursor) > generationOf(seq)) return true
    if (this.kind === 'one') return false
    const isSameOwner = generationOf(this.#cursor) === generationOf(seq)
    return read > MAX_BEHIND || (isSameOwner && seq - this.#cursor > MAX_BEHIND)
  }

  /** What follows belongs to the snapshot that is there from now on. */
  #resync(): void {
    const { id, feed } = this.#followed.session
    const { seq } = feed.state
    this.stream.write(messageFrame({ resync: true, head: seq }, this.kind === 'several' ? id : undefined))
    this.#cursor = seq
    this.#phase = 'live'
  }

  /** Then there is nothing to read: most readers that come back are. */
  get #isAtHead(): boolean {
    return this.#cursor === this.#followed.session.feed.state.seq
  }

  get #isOver(): boolean {
    return this.#phase === 'over'
  }

  /** Whether what is shown is kept or sent. */
  get #isCollecting(): boolean {
    return this.#phase === 'collecting' || this.#phase === 'live'
  }
}
