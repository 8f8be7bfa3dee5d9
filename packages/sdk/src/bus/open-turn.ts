import { mergeDelta } from '../protocol/deltas.ts'
import { type AgentEvent, type EventBatch, isDelta, type ToolOutputEvent } from '../protocol/events.ts'
import { generationOf } from '../protocol/seq.ts'

/** More events than this are thinned out. */
const MAX_EVENTS = 4_000
/** What thinning leaves when it has to drop the oldest. */
const KEPT_EVENTS = 2_000

/**
 * What a session published since its last `turn-start`, assistant message or `finish`: the part of it that a reader
 * may not find in the store yet. Deltas are merged as they come, everything else when it is asked for.
 */
export class OpenTurn {
  #events: AgentEvent[] = []
  /** The seq published before the first event held. */
  #prev = 0
  #head = 0

  #open = false

  /** Whether a turn began whose run has not finished. */
  get isOpen(): boolean {
    return this.#open
  }

  add(batch: EventBatch): void {
    if (batch.head <= this.#head) return
    if (batch.prev !== this.#head || generationOf(batch.head) !== generationOf(this.#head)) this.#restart(batch.prev)
    for (const event of batch.events) this.#hold(event)
    this.#head = batch.head
    if (this.#events.length > MAX_EVENTS) this.#thinOut()
  }

  /** What a reader at `after` has not seen, or nothing when it has seen it all. `prev` shows it whether it missed more. */
  above(after: number): EventBatch | undefined {
    if (after >= this.#head) return undefined
    const missed = this.#events.filter((event) => event.seq > after)
    return { prev: this.#prev, head: this.#head, events: mergeOutputs(missed) }
  }

  /** Empty again, for a log that begins anew. */
  reset(): void {
    this.#restart(0)
    this.#open = false
  }

  #restart(prev: number): void {
    this.#events = []
    this.#prev = prev
    this.#head = prev
  }

  #hold(event: AgentEvent): void {
    if (isDelta(event)) {
      const last = this.#events.at(-1)
      const merged = last && isDelta(last) ? mergeDelta(last, event) : undefined
      if (merged) this.#events[this.#events.length - 1] = merged
      else this.#events.push(event)
    } else if (event.type === 'turn-start') {
      this.#restart(this.#head)
      this.#events.push(event)
      this.#open = true
    } else if (event.type === 'finish') {
      this.#restart(event.seq)
      this.#open = false
    } else if (event.type === 'message' && event.message.role === 'assistant') {
      this.#restart(event.seq)
    } else {
      this.#events.push(event)
    }
    this.#head = event.seq
  }

  #thinOut(): void {
    this.#events = withoutSuperseded(this.#events)
    if (this.#events.length <= KEPT_EVENTS) return
    const dropped = this.#events.splice(0, this.#events.length - KEPT_EVENTS)
    this.#prev = dropped.at(-1)?.seq ?? this.#prev
  }
}

/** Of live activity and of each task's live progress only the last one says anything. */
function withoutSuperseded(events: readonly AgentEvent[]): AgentEvent[] {
  const seen = new Set<string>()
  const latestFirst = events.toReversed().filter((event) => {
    const key = supersededKey(event)
    if (key === undefined) return true
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
  return latestFirst.reverse()
}

function supersededKey(event: AgentEvent): string | undefined {
  if (event.type === 'activity') return 'activity'
  if (event.type === 'task' && event.live) return `task:${event.task.id}`
  return undefined
}

/** One output event for each call, where its last one was. */
function mergeOutputs(events: readonly AgentEvent[]): AgentEvent[] {
  const outputs = new Map<string, ToolOutputEvent>()
  for (const event of events) {
    if (event.type !== 'tool-output') continue
    const before = outputs.get(event.callId)
    outputs.set(event.callId, before ? { ...before, ...event, text: before.text + event.text } : event)
  }
  if (outputs.size === 0) return [...events]
  return events.flatMap((event) => {
    if (event.type !== 'tool-output') return event
    const merged = outputs.get(event.callId)
    return merged?.seq === event.seq ? merged : []
  })
}
