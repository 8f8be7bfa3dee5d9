import { type Command, type Receipt, runIdOf } from '../protocol/commands.ts'
import { SessionError } from '../protocol/errors.ts'
import { PROTOCOL_VERSION, type SessionDetails } from '../protocol/events.ts'
import { hasCode } from '../protocol/has-code.ts'
import { normalise } from '../protocol/json.ts'
import { checkSessionId } from '../protocol/session-id.ts'
import { unlessAborted } from '../protocol/unless-aborted.ts'
import { isLeaseLost } from '../stores/lease.ts'
import { isParked, nextDeadline } from './deadlines.ts'
import { INBOX_POLL_MS, LEASE_MS, MAX_TIMER_MS, RECEIPT_WAIT_MS, RECOVERY_WAIT_MS } from './defaults.ts'
import { createFeed } from './feed.ts'
import type { HostedSession } from './host.ts'
import { logThrown } from './log-thrown.ts'
import type { OpenOptions } from './open-options.ts'
import { createOwner, type Judged, type Owner } from './owner.ts'
import { createPatience } from './patience.ts'
import type { AgentRuntime } from './runtime.ts'
import { within } from './within.ts'

/** What one agent has of one session: all its handles share it. */
export interface Hub extends HostedSession {
  readonly ready: Promise<void>
  /** Whether a run has no end yet that is at work here. */
  readonly hasOpenRun: boolean
  /** Lets another agent take a run in the place of the session's own. To be said before the command that starts it. */
  lend(runId: string, runtime: AgentRuntime): void
  /** The receipt of a command that was accepted, however long its owner takes. Undefined when the session was closed here. */
  receiptOf(commandId: string): Promise<Receipt | undefined>
  /** The bus says that a command may be waiting. */
  signal(): void
  /** Waits for the open run, then gives the session up. After `drainMs` an open run is left to the next owner. */
  close(drainMs: number): Promise<void>
}

/**
 * Commands go to the owner, which lives here while this process holds the lease, and otherwise through the store's inbox.
 * The agent keeps no hub that nobody holds. So whatever is at work in one holds all of it, through `hub`.
 */
export function createHub(id: string, runtime: AgentRuntime, options: OpenOptions): Hub {
  const { store, bus, clock, logger } = runtime
  const background = { background: true }
  const notReleased = logThrown(logger, 'warn', 'A lease could not be released')
  const patience = createPatience(clock)
  /** Who takes a run in the place of the session's own agent, by run id. */
  const others = new Map<string, AgentRuntime>()
  let owner: Owner | undefined
  let owning: Promise<Owner | undefined> | undefined
  let cancelPoll: (() => void) | undefined
  /** Who waits for a turn to read the inbox, or has it. */
  let takers = 0
  let cancelWake = (): void => {}
  let isClosed = false

  const feed = createFeed(id, runtime, () => void hub.lookAfter().catch(() => {}))
  const ready = open(options)
  /** Commands are judged one at a time, in the order they came. */
  let chain: Promise<unknown> = ready.catch(() => {})

  const hub: Hub = {
    id,
    feed,
    ready,
    get hasOpenRun() {
      return owner?.hasOpenRun === true
    },
    get isRunning() {
      return owner?.isRunning === true
    },
    async idle() {
      while (owner?.isRunning) {
        await owner.idle()
        await chain
      }
    },
    async lookAfter() {
      if (owner !== undefined || isClosed) return
      await feed.catchUp()
      if (feed.state.run !== undefined && !isParked(feed.state)) await recoverWithin(inTurn(recover))
    },
    async submit(coming, repeatable) {
      const taken = Promise.resolve(coming)
      taken.catch(() => {})
      await ready
      let called = (): void => {}
      taken.then(
        ({ type }) => {
          if (type === 'abort') called = patience.press()
        },
        () => {},
      )
      const { receipt, stored, command } = await inTurn(async () => {
        const signal = patience.begin()
        const command = await unlessAborted(signal, taken)
        called()
        if (command === undefined) throw signal.reason
        return { command, ...(await hand(command, repeatable)) }
      })
      try {
        await stored
      } catch (thrown) {
        if (!isLeaseLost(thrown)) throw thrown
        // Nothing of it was stored: it is for whoever has the session now.
        return hub.submit(command, true)
      }
      if (receipt.status !== 'accepted') return receipt
      return (await awaitReceipt(receipt.commandId, clock.now() + RECEIPT_WAIT_MS)) ?? receipt
    },
    lend: (runId, other) => void others.set(runId, other),
    receiptOf: (commandId) => awaitReceipt(commandId, Infinity),
    signal() {
      if (owner !== undefined) void takeInbox()
    },
    async close(drainMs) {
      isClosed = true
      if (owner?.isRunning && drainMs > 0) await within(clock, drainMs, owner.idle(), background)
      patience.end(closedHere())
      await inTurn(async () => owner?.release()).catch(notReleased)
      leaveOwner()
      cancelWake()
      feed.close()
    },
  }

  async function open({ create, history, ...details }: OpenOptions): Promise<void> {
    checkSessionId(id)
    let row = await store.get(id)
    if (row === undefined) {
      if (create === false) throw new SessionError('session.not-found', `There is no session "${id}".`)
      const at = clock.now()
      const taken = history && (await import('./rare.ts')).historyEvents(history, at)
      const own = normalise(details) as SessionDetails
      const created = { type: 'session-created', seq: 1, at, v: PROTOCOL_VERSION, ...own } as const
      try {
        await store.create({ id, createdAt: at, ...own }, created, taken)
      } catch (thrown) {
        // Another process was faster: it is the same session.
        if (!hasCode(thrown, 'session.conflict')) throw thrown
      }
      row = await store.get(id)
    }
    await feed.load()
    if (row?.openRun === undefined) return
    if (!row.parked || (row.wakeAt ?? Infinity) <= clock.now()) await recoverWithin(recover())
    else wakeLater()
  }

  /** A run is open and perhaps nobody runs it: whoever opens the session looks after it. */
  async function recover(): Promise<void> {
    try {
      await own()
      giveUpIfIdle()
    } catch (thrown) {
      // It can be read all the same, and the next command tries again.
      logThrown(logger, 'error', 'An interrupted run could not be recovered')(thrown)
    }
  }

  function recoverWithin(recovered: Promise<void>): Promise<void> {
    return within(clock, RECOVERY_WAIT_MS, recovered, background)
  }

  async function hand(command: Command, repeatable: boolean): Promise<Judged> {
    if (isClosed) throw closedHere()
    const here = await own()
    if (here === undefined && others.delete(runIdOf(command.id))) {
      throw new SessionError('session.not-supported', 'Another process has the session: its own agent takes every run.')
    }
    if (here === undefined) return post(command)
    if (repeatable) {
      const posted = await post(command)
      if (posted.receipt.status !== 'accepted') return posted
      await judgeInbox(here).catch((thrown) => {
        // It stays in the inbox, for whoever has the session now.
        if (!isLeaseLost(thrown)) throw thrown
      })
      giveUpIfIdle()
      return { ...posted, receipt: (await store.receipt(id, command.id)) ?? posted.receipt }
    }
    const judged = await here.judge(command, patience.begin())
    judged.stored.then(giveUpIfIdle, () => {})
    return judged
  }

  /** The owner, if it lives here or can from now on. */
  function own(): Promise<Owner | undefined> {
    if (owner !== undefined) return Promise.resolve(owner)
    owning ??= acquire().finally(() => {
      owning = undefined
    })
    return owning
  }

  async function acquire(): Promise<Owner | undefined> {
    let lease: Awaited<ReturnType<typeof store.acquire>>
    try {
      lease = await store.acquire(id, { owner: runtime.owner, ttlMs: LEASE_MS })
    } catch (thrown) {
      if (hasCode(thrown, 'session.busy')) return undefined
      throw thrown
    }
    try {
      await feed.load()
      const onGone = (): void => {
        if (owner === acquired) leaveOwner()
      }
      const acquired = createOwner(runtime, feed, lease, { others, onGone, onIdle: giveUpIfIdle })
      owner = acquired
      await acquired.recover()
      pollInbox()
      await judgeInbox(acquired)
      return acquired
    } catch (thrown) {
      await owner?.release().catch(() => {})
      leaveOwner()
      await lease.release().catch(() => {})
      // What was shown here before the store failed is kept where it can be. It may be what does not fit.
      if (!isClosed && (await feed.forgetUnstored().catch(() => false))) return acquire()
      throw thrown
    }
  }

  /** An idle session needs no owner. In turn, so that no command is judged while the lease is given back. */
  function giveUpIfIdle(): void {
    inTurn(async () => {
      const idle = owner
      if (idle === undefined || idle.isRunning) return
      leaveOwner()
      await idle.release()
      wakeLater()
    }).catch(notReleased)
  }

  /** A parked run needs an owner again when the time of one of its requests is over. */
  function wakeLater(): void {
    cancelWake()
    const at = nextDeadline(feed.state)
    if (at === undefined || isClosed) return
    const delay = Math.min(Math.max(0, at - clock.now()), MAX_TIMER_MS)
    cancelWake = clock.setTimer(() => void inTurn(recover), delay, background)
  }

  async function post(command: Command): Promise<Judged> {
    const receipt = await store.post(id, command)
    bus?.signal(id)
    return { receipt: receipt ?? { commandId: command.id, status: 'accepted' }, stored: Promise.resolve() }
  }

  async function awaitReceipt(commandId: string, until: number): Promise<Receipt | undefined> {
    while (clock.now() < until && !isClosed) {
      await new Promise<void>((resolve) => clock.setTimer(resolve, INBOX_POLL_MS))
      const receipt = await store.receipt(id, commandId)
      if (receipt !== undefined) return receipt
      // Its owner may be gone: then the command is ours to judge.
      await inTurn(own)
      giveUpIfIdle()
    }
    return undefined
  }

  function pollInbox(): void {
    const look = (): void => {
      cancelPoll = undefined
      void (takers > 0 ? hearAbort() : takeInbox())
      pollInbox()
    }
    cancelPoll ??= clock.setTimer(look, INBOX_POLL_MS, background)
  }

  /** What waits here may never come, and an abort that was posted stands behind it. */
  async function hearAbort(): Promise<void> {
    const waiting = patience.current()
    const posted = await store.commands(id).catch(() => [])
    if (posted.some(({ type }) => type === 'abort')) waiting.hurry()
  }

  function leaveOwner(): void {
    owner = undefined
    cancelPoll?.()
    cancelPoll = undefined
  }

  async function takeInbox(): Promise<void> {
    takers++
    await inTurn(async () => {
      if (owner !== undefined) await judgeInbox(owner)
    }).catch(logThrown(logger, 'warn', 'An inbox could not be read'))
    takers--
  }

  async function judgeInbox(here: Owner): Promise<void> {
    for (const command of await store.commands(id)) {
      const { stored } = await here.judge(command, patience.begin())
      await stored
    }
  }

  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = chain.then(step)
    chain = result.catch(() => {})
    return result
  }

  return hub
}

function closedHere(): SessionError {
  return new SessionError('session.closed', 'The session was closed here. Open it again.')
}
