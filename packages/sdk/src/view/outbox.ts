import type { Lane, Receipt } from '../protocol/commands.ts'
import { type ErrorInfo, errorInfo } from '../protocol/errors.ts'
import type { AgentEvent } from '../protocol/events.ts'
import type { UserMessage, UserPart } from '../protocol/messages.ts'
import type { InputContent } from '../protocol/session.ts'
import type { SessionState } from '../protocol/state.ts'

/** An input that is not in the session's log yet. */
export interface OutboxEntry {
  /** The id of the input, and of the message it will be. */
  readonly id: string
  /** `sent`: the session has it, and its events are still to come. */
  readonly status: 'sending' | 'sent' | 'failed'
  readonly mode: 'run' | Lane
  /** As it was given: what a composer takes back. */
  readonly input: InputContent
  /** As the list shows it. An attachment that is still to be uploaded has its `bytes` in place of a blob. */
  readonly message: UserMessage
  /** Why it failed. */
  readonly error?: ErrorInfo
}

/** Sends a command under this id. Rejects when nobody knows whether it arrived. */
export type Attempt = (commandId: string) => Promise<Receipt>

interface Delivery {
  readonly attempt: Attempt
  /** The seq after which the session's state has the input, once that is known. */
  readonly seq?: number
  /** It was judged and refused: under this id it always will be. */
  readonly isRefused?: boolean
}

/** What was sent from here and the state does not show yet, oldest first. */
export class Outbox {
  entries: readonly OutboxEntry[] = []
  readonly #deliveries = new Map<string, Delivery>()
  /** A history that none of the entries is in. */
  #searched: SessionState['history'] | undefined
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Whether the state may soon show one of the entries. */
  get isWaiting(): boolean {
    return this.entries.some(({ status }) => status !== 'failed')
  }

  add(message: UserMessage, input: InputContent, mode: OutboxEntry['mode'], attempt: Attempt): Promise<Receipt> {
    const { id } = message
    this.entries = [...this.entries, { id, status: 'sending', mode, input, message }]
    return this.#deliver(id, attempt)
  }

  /**
   * Sends a failed entry once more: under the same id, so that it cannot arrive twice, or under a new one if the session
   * refused it. Undefined when no entry of this id has failed.
   */
  retry(id: string, mint: () => string): Promise<Receipt> | undefined {
    const entry = this.#failed(id)
    const delivery = this.#deliveries.get(id)
    if (entry === undefined || delivery === undefined) return undefined
    this.#deliveries.delete(id)
    const { error: _before, ...rest } = entry
    const nextId = delivery.isRefused ? mint() : id
    this.#replace(id, { ...rest, id: nextId, status: 'sending', message: { ...entry.message, id: nextId } })
    return this.#deliver(nextId, delivery.attempt)
  }

  /** Takes a failed entry out and gives it back. */
  discard(id: string): OutboxEntry | undefined {
    const entry = this.#failed(id)
    if (entry === undefined) return undefined
    this.#remove(id)
    this.#onChange()
    return entry
  }

  /** Lets go of what the state shows or has shown. `events`: those that led to it, where they are known. */
  settle(state: SessionState, events: readonly AgentEvent[] = []): void {
    if (this.entries.length === 0) return
    for (const event of events) {
      if (event.type === 'input-returned') this.#remove(event.inputId)
    }
    const { steer, queue } = state.pending.lanes
    const isNew = state.history !== this.#searched
    this.#searched = state.history
    for (const { id } of this.entries) {
      const seq = this.#deliveries.get(id)?.seq
      const isShown =
        (seq !== undefined && state.seq >= seq) ||
        [...steer, ...queue].some((input) => input.id === id) ||
        (isNew && state.history.findLastIndex((message) => message.id === id) !== -1)
      if (isShown) this.#remove(id)
    }
  }

  async #deliver(id: string, attempt: Attempt): Promise<Receipt> {
    this.#deliveries.set(id, { attempt })
    this.#onChange()
    let receipt: Receipt
    try {
      receipt = await attempt(id)
    } catch (thrown) {
      const error = errorInfo(thrown)
      this.#settled(id, { attempt }, { status: 'failed', error })
      return { commandId: id, status: 'refused', inputId: id, error }
    }
    const { status, seq = 0, error } = receipt
    if (status === 'refused') {
      const why = error ?? { code: 'internal', message: 'It was refused without a reason.', retryable: false }
      this.#settled(id, { attempt, isRefused: true }, { status: 'failed', error: why })
    } else {
      this.#settled(id, { attempt, ...(status !== 'accepted' && { seq }) }, { status: 'sent' })
    }
    return receipt
  }

  /** The entry may be gone by now: the state was faster than the receipt. */
  #settled(id: string, delivery: Delivery, change: Pick<OutboxEntry, 'status' | 'error'>): void {
    const entry = this.entries.find((other) => other.id === id)
    if (entry === undefined) return
    this.#deliveries.set(id, delivery)
    this.#replace(id, { ...entry, ...change })
    this.#onChange()
  }

  #failed(id: string): OutboxEntry | undefined {
    return this.entries.find((entry) => entry.id === id && entry.status === 'failed')
  }

  #replace(id: string, by: OutboxEntry): void {
    this.entries = this.entries.map((entry) => (entry.id === id ? by : entry))
  }

  #remove(id: string): void {
    if (this.#deliveries.delete(id)) this.entries = this.entries.filter((entry) => entry.id !== id)
  }
}

/** The parts of an input, text as a part. */
export function partsOf(input: InputContent): readonly UserPart[] {
  return typeof input === 'string' ? [{ type: 'text', text: input }] : input
}
