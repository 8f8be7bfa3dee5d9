import { type Command, type Receipt, runIdOf } from '../protocol/commands.ts'
import { SessionError, StepwellError, thrownText } from '../protocol/errors.ts'
import { PROTOCOL_VERSION } from '../protocol/events.ts'
import { checkSessionId } from '../protocol/session-id.ts'
import { unlessAborted } from '../protocol/unless-aborted.ts'
import { isLeaseLost } from '../stores/lease.ts'
import { isParked, nextDeadline } from './deadlines.ts'
import { INBOX_POLL_MS, LEASE_MS, MAX_TIMER_MS, RECEIPT_WAIT_MS, RECOVERY_WAIT_MS } from './defaults.ts'
import { Feed } from './feed.ts'
import type { HostedSession } from './host.ts'
import type { OpenOptions } from './open-options.ts'
import { type Judged, Owner } from './owner.ts'
import { Patience } from './patience.ts'
import type { AgentRuntime } from './runtime.ts'
import { within } from './within.ts'

/**
 * What one agent has of one session: all its handles share it. Commands go to the owner, which lives here while this
 * process holds the lease, and otherwise through the store's inbox.
 */
export class Hub implements HostedSession {
  readonly id: string
  readonly feed: Feed
  readonly ready: Promise<void>
  readonly #runtime: AgentRuntime
  readonly #patience: Patience
  #owner: Owner | undefined
  /** Commands are judged one at a time, in the order they came. */
  #chain: Promise<unknown>
  #cancelPoll: (() => void) | undefined
  #owning: Promise<Owner | undefined> | undefined
  #cancelWake = (): void => {}
  /** Who takes a run in the place of the session's own agent, by run id. */
  readonly #others = new Map<string, AgentRuntime>()
  #closed = false

  constructor(id: string, runtime: AgentRuntime, options: OpenOptions) {
    this.id = id
    this.#runtime = runtime
    const { store, heads, bus, clock, logger } = runtime
    this.#patience = new Patience(clock)
    const onSilence = (): void => void this.lookAfter().catch(() => {})
    this.feed = new Feed(id, { store, heads, bus, clock, logger, onSilence })
    this.ready = this.#open(options)
    this.ready.catch(() => {})
    this.#chain = this.ready.catch(() => {})
  }

  get hasOpenRun(): boolean {
    return this.#owner?.hasOpenRun === true
  }

  get isRunning(): boolean {
    return this.#owner?.isRunning === true
  }

  async idle(): Promise<void> {
    while (this.#owner?.isRunning) {
      await this.#owner.idle()
      await this.#chain
    }
  }

  async lookAfter(): Promise<void> {
    if (this.#owner !== undefined || this.#closed) return
    await this.feed.catchUp()
    const { state } = this.feed
    if (state.run === undefined || isParked(state)) return
    await this.#within(
      RECOVERY_WAIT_MS,
      this.#inTurn(() => this.#recover()),
    )
  }

  /**
   * Hands a command in. Resolves with its receipt, which is `accepted` when the owner did not answer in time.
   * Its place in the order is that of this call, also where its bytes are still being stored.
   * `repeatable`: its id is the caller's, who may have sent it before.
   */
  async submit(coming: Command | Promise<Command>, repeatable: boolean): Promise<Receipt> {
    const taken = Promise.resolve(coming)
    taken.catch(() => {})
    await this.ready
    let called = (): void => {}
    taken.then(
      ({ type }) => {
        if (type === 'abort') called = this.#patience.press()
      },
      () => {},
    )
    const { command, receipt, stored } = await this.#inTurn(async () => {
      const { signal } = this.#patience
      const command = await unlessAborted(signal, taken)
      called()
      if (command === undefined) throw signal.reason
      return { command, ...(await this.#hand(command, repeatable)) }
    })
    try {
      await stored
    } catch (thrown) {
      if (!isLeaseLost(thrown)) throw thrown
      // Nothing of it was stored: it is for whoever has the session now.
      return this.submit(command, true)
    }
    if (receipt.status !== 'accepted') return receipt
    return (await this.#waitForReceipt(receipt.commandId)) ?? receipt
  }

  /** Lets another agent take a run in the place of the session's own. To be said before the command that starts it. */
  lend(runId: string, runtime: AgentRuntime): void {
    this.#others.set(runId, runtime)
  }

  /** The receipt of a command that was accepted, however long its owner takes. Undefined when the session was closed here. */
  async receiptOf(commandId: string): Promise<Receipt | undefined> {
    while (!this.#closed) {
      const receipt = await this.#waitForReceipt(commandId)
      if (receipt !== undefined) return receipt
    }
    return undefined
  }

  /** Waits for the open run, then gives the session up. After `drainMs` an open run is left to the next owner. */
  async close(drainMs: number): Promise<void> {
    this.#closed = true
    const owner = this.#owner
    if (owner?.isRunning && drainMs > 0) await this.#within(drainMs, owner.idle())
    this.#patience.end()
    await this.#inTurn(async () => this.#owner?.release())
    this.#stopPolling()
    this.#cancelWake()
    this.feed.close()
  }

  /** The bus says that a command may be waiting. */
  signal(): void {
    if (this.#owner !== undefined) void this.#takeInbox()
  }

  async #open(options: OpenOptions): Promise<void> {
    checkSessionId(this.id)
    const { store, clock } = this.#runtime
    let row = await store.get(this.id)
    if (row === undefined) {
      if (options.create === false) throw new SessionError('session.not-found', `There is no session "${this.id}".`)
      const { create: _create, history, ...details } = options
      const at = clock.now()
      const taken = history && (await import('./rare.ts')).historyEvents(history, at)
      const created = { type: 'session-created', seq: 1, at, v: PROTOCOL_VERSION, ...details } as const
      try {
        await store.create({ id: this.id, createdAt: at, ...details }, created, taken)
      } catch (thrown) {
        // Another process was faster: it is the same session.
        if (!(thrown instanceof StepwellError && thrown.code === 'session.conflict')) throw thrown
      }
      row = await store.get(this.id)
    }
    await this.feed.load()
    if (row?.openRun === undefined) return
    const isDue = !row.parked || (row.wakeAt !== undefined && row.wakeAt <= clock.now())
    if (isDue) await this.#within(RECOVERY_WAIT_MS, this.#recover())
    else this.#wakeLater()
  }

  /** A run is open and perhaps nobody runs it: whoever opens the session looks after it. */
  async #recover(): Promise<void> {
    try {
      await this.#own()
      this.#giveUpIfIdle()
    } catch (thrown) {
      // It can be read all the same, and the next command tries again.
      this.#runtime.logger.log('error', 'An interrupted run could not be recovered', { error: thrownText(thrown) })
    }
  }

  async #hand(command: Command, repeatable: boolean): Promise<Judged> {
    if (this.#closed) throw new SessionError('session.closed', 'The session was closed here. Open it again.')
    const owner = await this.#own()
    if (owner === undefined) {
      if (this.#others.delete(runIdOf(command.id))) {
        throw new SessionError(
          'session.not-supported',
          'Another process has the session: its own agent takes every run.',
        )
      }
      return this.#post(command)
    }
    if (repeatable) {
      const posted = await this.#post(command)
      if (posted.receipt.status !== 'accepted') return posted
      await this.#judgeInbox(owner).catch((thrown) => {
        // It stays in the inbox, for whoever has the session now.
        if (!isLeaseLost(thrown)) throw thrown
      })
      this.#giveUpIfIdle()
      return { ...posted, receipt: (await this.#runtime.store.receipt(this.id, command.id)) ?? posted.receipt }
    }
    const judged = await owner.judge(command, this.#patience.signal)
    judged.stored.then(
      () => this.#giveUpIfIdle(),
      () => {},
    )
    return judged
  }

  /** The owner, if it lives here or can from now on. */
  #own(): Promise<Owner | undefined> {
    if (this.#owner !== undefined && !this.#owner.gone) return Promise.resolve(this.#owner)
    this.#owning ??= this.#acquire().finally(() => {
      this.#owning = undefined
    })
    return this.#owning
  }

  async #acquire(): Promise<Owner | undefined> {
    const { store, owner: name } = this.#runtime
    let lease: Awaited<ReturnType<typeof store.acquire>>
    try {
      lease = await store.acquire(this.id, { owner: name, ttlMs: LEASE_MS })
    } catch (thrown) {
      if (thrown instanceof StepwellError && thrown.code === 'session.busy') return undefined
      throw thrown
    }
    try {
      await this.feed.load()
      const owner = new Owner(this.#runtime, this.feed, lease, {
        onGone: () => this.#onGone(owner),
        others: this.#others,
      })
      this.#owner = owner
      await owner.recover()
      await this.#judgeInbox(owner)
      this.#pollInbox()
      return owner
    } catch (thrown) {
      await this.#owner?.release().catch(() => {})
      this.#owner = undefined
      await lease.release().catch(() => {})
      // What was shown here before the store failed is kept where it can be. It may be what does not fit.
      if (!this.#closed && (await this.feed.forgetUnstored().catch(() => false))) return this.#acquire()
      throw thrown
    }
  }

  #onGone(owner: Owner): void {
    if (owner.gone && this.#owner === owner) {
      this.#owner = undefined
      this.#stopPolling()
    } else {
      this.#giveUpIfIdle()
    }
  }

  /** An idle session needs no owner. In turn, so that no command is judged while the lease is given back. */
  #giveUpIfIdle(): void {
    void this.#inTurn(async () => {
      const owner = this.#owner
      if (owner === undefined || owner.isRunning || owner.gone) return
      this.#owner = undefined
      this.#stopPolling()
      await owner.release()
      this.#wakeLater()
    }).catch((error) => this.#runtime.logger.log('warn', 'A lease could not be released', { error: thrownText(error) }))
  }

  /** A parked run needs an owner again when the time of one of its requests is over. */
  #wakeLater(): void {
    this.#cancelWake()
    const at = nextDeadline(this.feed.state)
    if (at === undefined || this.#closed) return
    const delay = Math.min(Math.max(0, at - this.#runtime.clock.now()), MAX_TIMER_MS)
    this.#cancelWake = this.#runtime.clock.setTimer(() => void this.#inTurn(() => this.#recover()), delay, {
      background: true,
    })
  }

  async #post(command: Command): Promise<Judged> {
    const { store, bus } = this.#runtime
    const receipt = await store.post(this.id, command)
    bus?.signal(this.id)
    return { receipt: receipt ?? { commandId: command.id, status: 'accepted' }, stored: Promise.resolve() }
  }

  async #waitForReceipt(commandId: string): Promise<Receipt | undefined> {
    const { store, clock } = this.#runtime
    const until = clock.now() + RECEIPT_WAIT_MS
    while (clock.now() < until) {
      await new Promise<void>((resolve) => clock.setTimer(resolve, INBOX_POLL_MS))
      const receipt = await store.receipt(this.id, commandId)
      if (receipt !== undefined) return receipt
      // Its owner may be gone: then the command is ours to judge.
      await this.#inTurn(() => this.#own())
      this.#giveUpIfIdle()
    }
    return undefined
  }

  #pollInbox(): void {
    this.#cancelPoll ??= this.#runtime.clock.setTimer(
      () => {
        this.#cancelPoll = undefined
        void this.#takeInbox().finally(() => this.#owner && this.#pollInbox())
      },
      INBOX_POLL_MS,
      { background: true },
    )
  }

  #stopPolling(): void {
    this.#cancelPoll?.()
    this.#cancelPoll = undefined
  }

  async #takeInbox(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#owner !== undefined) await this.#judgeInbox(this.#owner)
    }).catch((error) => this.#runtime.logger.log('warn', 'An inbox could not be read', { error: thrownText(error) }))
  }

  async #judgeInbox(owner: Owner): Promise<void> {
    for (const command of await this.#runtime.store.commands(this.id)) {
      const { stored } = await owner.judge(command, this.#patience.signal)
      await stored
    }
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#chain.then(step)
    this.#chain = result.catch(() => {})
    return result
  }

  #within(ms: number, work: Promise<void>): Promise<void> {
    return within(this.#runtime.clock, ms, work, { background: true })
  }
}
