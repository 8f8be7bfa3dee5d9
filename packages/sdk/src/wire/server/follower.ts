import type { Feed } from '../../agent/feed.ts'
import { untold } from '../../agent/untold.ts'
import { mergeAdjoining } from '../../protocol/deltas.ts'
import type { AgentEvent, EventBatch } from '../../protocol/events.ts'
import { generationOf } from '../../protocol/seq.ts'
import type { SessionStore } from '../../stores/store.ts'
import type { EventStream } from './event-stream.ts'
import { Frame, messageFrame, type StreamKind } from './frame.ts'

/** What may wait for one slow reader, in characters of JSON, before it is merged, and then left to the store. */
const MAX_WAITING = 512 * 1024
/** More events than that are a long way. */
const PAGE = 1_024
/** A reader of several sessions that is further behind than so many events reads the snapshot. */
const MAX_BEHIND = 20_000

export interface FollowerOptions {
  readonly sessionId: string
  readonly feed: Feed
  readonly store: SessionStore
  readonly stream: EventStream
  readonly kind: StreamKind
  /** The seq the reader is at. */
  readonly after: number
  /** The store cannot be read: the connection is of no use. */
  onFailure(thrown: unknown): void
}

/**
 * One session on one connection. It follows what is shown while the network keeps up. What waits is merged, beyond that
 * forgotten and read again from the store, a page at a time and no faster than it is sent.
 *
 * Every frame's `prev` is the `head` of the frame before.
 */
export class Follower {
  readonly #options: FollowerOptions
  #cursor: number
  #waiting: EventBatch[] = []
  #waitingSize = 0
  /** What is shown is kept or sent. Otherwise it is left to the store. */
  #isCollecting = false
  /** Everything below what waits was sent. */
  #isLive = false
  #isReading = false
  #isOver = false
  #onRoom = (): void => {}

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#cursor = options.after
  }

  /** Whether it is at the last thing shown, and the network keeps up. */
  get isIdle(): boolean {
    return this.#isLive && this.#waiting.length === 0 && this.#options.stream.hasRoom
  }

  /** Begins, or goes on, as far as there is room. */
  advance(): void {
    if (this.#isOver || !this.#options.stream.hasRoom) return
    this.#onRoom()
    if (this.#isLive) this.#sendWaiting()
    else if (!this.#isReading) void this.#read()
  }

  end(): void {
    this.#isOver = true
    this.#onRoom()
    this.#waiting = []
  }

  /** A batch that is shown now. */
  take(frame: Frame): void {
    if (this.#isOver || !this.#isCollecting) return
    if (this.isIdle) return this.#send(frame)
    this.#waiting.push(frame.batch)
    this.#waitingSize += frame.size
    if (this.#waitingSize > MAX_WAITING) this.#mergeWaiting()
  }

  /** Says where the reader is: `shared` says it for those that are at the last thing shown. */
  beat(shared: Frame): void {
    if (this.#isOver || !this.isIdle) return
    if (shared.batch.head === this.#cursor) this.#options.stream.write(shared.bytes(this.#options.kind))
    else this.#write([])
  }

  #send(frame: Frame): void {
    const { batch } = frame
    if (batch.prev !== this.#cursor) return this.#write(batch.events, batch.fault)
    this.#options.stream.write(frame.bytes(this.#options.kind))
    this.#cursor = batch.head
  }

  /** A frame of this reader's own. Without news it is a heartbeat. */
  #write(all: readonly AgentEvent[], fault?: EventBatch['fault']): void {
    const { sessionId, stream, kind } = this.#options
    const prev = this.#cursor
    const events = all.filter(({ seq }) => seq > prev)
    const head = events.at(-1)?.seq ?? prev
    stream.write(new Frame(sessionId, { prev, head, events, ...(fault && { fault }) }).bytes(kind))
    this.#cursor = head
  }

  #sendWaiting(): void {
    if (this.#waiting.length === 0) return
    const events = mergeAdjoining(this.#waiting.flatMap((batch) => batch.events))
    const fault = this.#waiting.findLast((batch) => batch.fault !== undefined)?.fault
    this.#waiting = []
    this.#waitingSize = 0
    this.#write(events, fault)
  }

  #mergeWaiting(): void {
    const { sessionId } = this.#options
    const first = this.#waiting[0] as EventBatch
    const last = this.#waiting.at(-1) as EventBatch
    const merged: EventBatch = {
      prev: first.prev,
      head: last.head,
      events: mergeAdjoining(this.#waiting.flatMap((batch) => batch.events)),
      ...(last.fault && { fault: last.fault }),
    }
    const { size } = new Frame(sessionId, merged)
    if (size > MAX_WAITING / 2) return this.#leaveToStore()
    this.#waiting = [merged]
    this.#waitingSize = size
  }

  #leaveToStore(): void {
    this.#isCollecting = false
    this.#isLive = false
    this.#waiting = []
    this.#waitingSize = 0
  }

  /** Reads from the store until the reader is at what is shown, no faster than it is sent. */
  async #read(): Promise<void> {
    this.#isReading = true
    try {
      while (!this.#isOver && !this.#isLive) {
        if (this.#isLost(0)) this.#resync()
        else if (!(await this.#readPage())) await this.#readOn()
      }
    } catch (thrown) {
      if (!this.#isOver) this.#options.onFailure(thrown)
    } finally {
      this.#isReading = false
    }
    this.advance()
  }

  /** A long way, in one reading: what is shown meanwhile is left to the store. */
  async #readOn(): Promise<void> {
    const { sessionId, feed, store } = this.#options
    let read = 0
    await this.#room()
    for await (const batch of store.read(sessionId, { after: this.#cursor, before: feed.state.seq + 1 })) {
      if (this.#isOver || this.#isLost(read)) return
      read += batch.length
      this.#write(batch)
      await this.#room()
    }
  }

  async #room(): Promise<void> {
    while (!this.#isOver && !this.#options.stream.hasRoom) {
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve
      })
    }
  }

  /** The last bit of the way, or the first of a long one: then false. */
  async #readPage(): Promise<boolean> {
    const { sessionId, feed, store } = this.#options
    const after = this.#cursor
    const upTo = feed.state.seq
    const unstored = feed.unstored()
    this.#isCollecting = true
    const stored: AgentEvent[] = []
    for await (const batch of store.read(sessionId, { after, before: upTo + 1, limit: PAGE })) {
      for (const event of batch) stored.push(event)
    }
    if (this.#isOver) return true
    // What was shown meanwhile may have been too much.
    if (stored.length >= PAGE || !this.#isCollecting) {
      this.#leaveToStore()
      if (stored.length > 0) this.#write(stored)
      return false
    }
    this.#isLive = true
    this.#write([...stored, ...untold(unstored, stored, after)].sort((a, b) => a.seq - b.seq))
    return true
  }

  /** Whether the reader had better begin anew: nobody knows of where it is, or a snapshot is shorter than the way. */
  #isLost(read: number): boolean {
    const { feed, kind } = this.#options
    const { seq } = feed.state
    if (generationOf(this.#cursor) > generationOf(seq)) return true
    if (kind === 'one') return false
    const isSameOwner = generationOf(this.#cursor) === generationOf(seq)
    return read > MAX_BEHIND || (isSameOwner && seq - this.#cursor > MAX_BEHIND)
  }

  /** What follows belongs to the snapshot that is there from now on. */
  #resync(): void {
    const { sessionId, feed, stream, kind } = this.#options
    const { seq } = feed.state
    stream.write(messageFrame({ resync: true, head: seq }, kind === 'several' ? sessionId : undefined))
    this.#cursor = seq
    this.#isCollecting = true
    this.#isLive = true
  }
}
