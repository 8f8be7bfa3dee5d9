import type { Ids } from '../protocol/clock.ts'
import type { Lane, Receipt } from '../protocol/commands.ts'
import { type ErrorInfo, errorInfo, StepwellError } from '../protocol/errors.ts'
import type { AgentEvent } from '../protocol/events.ts'
import type { UserMessage } from '../protocol/messages.ts'
import type { AgentSession, InputContent, Run, RunOptions, SendOptions } from '../protocol/session.ts'
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
  readonly error?: ErrorInfo | undefined
}

/** What was sent from here and the state does not show yet. */
export interface Outbox {
  /** Whether the state may soon show one of the entries. */
  isWaiting(): boolean
  /**
   * Lets go of what the state shows or has shown. `events`: those that led to it, where they are known. Gives what is left,
   * oldest first: the same array as long as nothing of it changes.
   */
  settle(state: SessionState, events?: readonly AgentEvent[]): readonly OutboxEntry[]
  send(input: InputContent, options?: Omit<SendOptions, 'commandId'>): Promise<Receipt>
  run(input: InputContent, options?: Omit<RunOptions, 'commandId'>): Run
  /**
   * Sends a failed entry once more: under the same id, so that it cannot arrive twice, or under a new one if the session
   * refused it.
   */
  retry(id: string): Promise<Receipt>
  /** Takes a failed entry out and gives it back. */
  discard(id: string): OutboxEntry | undefined
}

interface Delivery {
  entry: OutboxEntry
  /** Sends the input under this id. Rejects when nobody knows whether it arrived. */
  readonly attempt: (commandId: string) => Promise<Receipt>
  /** The seq after which the session's state has the input, once that is known. */
  seq?: number
  /** It was judged and refused: under this id it always will be. */
  isRefused?: boolean
}

/** Errors that say that a `run()` was judged, and refused. */
const REFUSALS: readonly string[] = ['session.busy', 'compliance.blocked']

/** `onSend`: something is about to be sent. */
export function createOutbox(
  session: AgentSession,
  ids: Ids,
  now: () => number,
  onChange: () => void,
  onSend: () => void,
): Outbox {
  let deliveries: readonly Delivery[] = []
  let entries: readonly OutboxEntry[] = []
  /** A history that none of the entries is in. */
  let searched: SessionState['history'] | undefined

  function keep(kept: readonly Delivery[]): void {
    deliveries = kept
    entries = kept.map(({ entry }) => entry)
  }

  function show(delivery: Delivery, change?: Partial<OutboxEntry>): void {
    // It may be gone by now: the state was faster than the receipt.
    if (!deliveries.includes(delivery)) return
    delivery.entry = { ...delivery.entry, ...change }
    keep(deliveries)
    onChange()
  }

  /** Shows that it is being sent. */
  async function deliver(delivery: Delivery, change?: Partial<OutboxEntry>): Promise<Receipt> {
    onSend()
    show(delivery, change)
    const { id } = delivery.entry
    let receipt: Receipt
    try {
      receipt = await delivery.attempt(id)
      delivery.isRefused = receipt.status === 'refused'
      if (receipt.seq !== undefined) delivery.seq = receipt.seq
      // Over, with all that led to it. What was taken and is not over, the state will show.
      else if (receipt.status === 'done' || receipt.status === 'returned') delivery.seq = 0
    } catch (thrown) {
      delivery.isRefused = false
      receipt = { commandId: id, status: 'refused', inputId: id, error: errorInfo(thrown) }
    }
    const { status, error } = receipt
    show(delivery, status === 'refused' ? { status: 'failed', error } : { status: 'sent' })
    return receipt
  }

  /** Makes the first attempt at once. */
  function add(
    input: InputContent,
    mode: OutboxEntry['mode'],
    by: string | undefined,
    attempt: Delivery['attempt'],
  ): Promise<Receipt> {
    const id = ids('in')
    const parts = typeof input === 'string' ? [{ type: 'text' as const, text: input }] : input
    const message: UserMessage = { role: 'user', id, at: now(), ...(by !== undefined && { by }), parts }
    const delivery: Delivery = { entry: { id, status: 'sending', mode, input, message }, attempt }
    deliveries = [...deliveries, delivery]
    return deliver(delivery)
  }

  function failed(id: string): Delivery | undefined {
    return deliveries.find(({ entry }) => entry.id === id && entry.status === 'failed')
  }

  return {
    isWaiting: () => entries.some(({ status }) => status !== 'failed'),
    settle({ seq, history, pending }, events = []) {
      if (deliveries.length === 0) return entries
      const { steer, queue } = pending.lanes
      const ids = new Set([...steer, ...queue].map(({ id }) => id))
      for (const event of events) if (event.type === 'input-returned') ids.add(event.inputId)
      const isNew = history !== searched
      searched = history
      const kept = deliveries.filter(
        ({ entry: { id }, seq: shownAt }) =>
          (shownAt === undefined || seq < shownAt) &&
          !ids.has(id) &&
          !(isNew && history.findLast((message) => message.id === id)),
      )
      if (kept.length < deliveries.length) keep(kept)
      return entries
    },
    send(input, options = {}) {
      return add(input, options.mode ?? 'steer', options.by, (commandId) =>
        session.send(input, { ...options, commandId }),
      )
    },
    run(input, options = {}) {
      let run!: Run
      void add(input, 'run', options.by, async (commandId) => {
        run = session.run(input, { ...options, commandId })
        const { runId, error, recorded } = await run.result
        if (!error || recorded) return { commandId, status: 'done', runId }
        if (REFUSALS.includes(error.code)) return { commandId, status: 'refused', error }
        throw new StepwellError(error.code, error.message, error)
      })
      return run
    },
    async retry(id) {
      const delivery = failed(id)
      if (delivery === undefined) {
        const error = new StepwellError('input.unknown', `No input ${id} has failed.`)
        return { commandId: id, status: 'refused', error: error.toJSON() }
      }
      const nextId = delivery.isRefused ? ids('in') : id
      const message = { ...delivery.entry.message, id: nextId }
      return deliver(delivery, { id: nextId, status: 'sending', message, error: undefined })
    },
    discard(id) {
      const delivery = failed(id)
      if (delivery === undefined) return undefined
      keep(deliveries.filter((other) => other !== delivery))
      onChange()
      return delivery.entry
    },
  }
}
