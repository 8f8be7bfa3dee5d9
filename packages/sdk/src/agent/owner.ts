import { type Command, type Receipt, type RunSettings, runIdOf } from '../protocol/commands.ts'
import { errorInfo, SessionError, StepwellError } from '../protocol/errors.ts'
import { PROTOCOL_VERSION } from '../protocol/events.ts'
import { unlessAborted } from '../protocol/unless-aborted.ts'
import type { Lease } from '../stores/store.ts'
import { isParked } from './deadlines.ts'
import { ABORT_PULL_MS, LEASE_RENEW_MS, SNAPSHOT_EVENTS } from './defaults.ts'
import type { Feed } from './feed.ts'
import { judgeAbort, judgeInput, NO_OPEN_RUN, refused } from './judge.ts'
import { logThrown } from './log-thrown.ts'
import { NOTHING_PREPARED, type Prepared, prepareRun, runConfig } from './prepare.ts'
import { runToFinish } from './run.ts'
import { aborted } from './run-end.ts'
import { createRunScope } from './run-scope.ts'
import type { AgentRuntime } from './runtime.ts'
import type { Screened } from './screened-command.ts'
import { createSequencer } from './sequencer.ts'

type Rare = typeof import('./rare.ts')

/** A command that has its place in the order. Everyone may see the receipt when it is stored. */
export interface Judged {
  readonly receipt: Receipt
  readonly stored: Promise<void>
}

/** The one process that may append to a session, for as long as it holds the lease. */
export interface Owner {
  /** Whether a run has no end yet. */
  readonly hasOpenRun: boolean
  /** Whether a run is open here, or has not been put away yet. */
  readonly isRunning: boolean
  /** Settles when no run is open here any more. */
  idle(): Promise<void>
  /** Closes or resumes what a dead owner left open. */
  recover(): Promise<void>
  /**
   * Judges a command on everything sequenced before it. To be called one at a time. What it needs of others is given up
   * when `patience` is at its end: then it is refused, or rejects where the session was closed.
   */
  judge(given: Command, patience: AbortSignal): Promise<Judged>
  /** Gives the session up. An open run is left as it is, for the next owner to recover. */
  release(): Promise<void>
}

export interface OwnerOptions {
  /** Who takes a run in the place of the session's own agent, by run id. */
  readonly others: Map<string, AgentRuntime>
  /** No run is open here any more. */
  onIdle(): void
  /** It gave the session up, or lost it. */
  onGone(): void
}

/** Throws `protocol.too-new` for a session that a newer version has written. */
export function createOwner(
  home: AgentRuntime,
  feed: Feed,
  lease: Lease,
  { others, onIdle, onGone }: OwnerOptions,
): Owner {
  const { store, clock, logger, bus, plugins } = home
  const { id: sessionId, row } = feed.state
  if (row.v > PROTOCOL_VERSION) {
    throw new SessionError(
      'protocol.too-new',
      `The session was written with protocol version ${row.v}; this library writes ${PROTOCOL_VERSION}. Update it.`,
    )
  }
  let running: { readonly controller: AbortController; readonly over: Promise<void> } | undefined
  let cancelRenewal = (): void => {}
  let isGone = false

  const sequencer = createSequencer({
    store,
    clock,
    generation: lease.generation,
    state: feed.state,
    show(batch, state) {
      feed.show(batch, state)
      bus?.publish(sessionId, batch)
      for (const plugin of plugins) {
        try {
          plugin.observe?.(batch.events, state)
        } catch (thrown) {
          logThrown(logger, 'error', 'A plugin that observes events threw', { plugin: plugin.name })(thrown)
        }
      }
    },
    onFault(fault) {
      leave(fault)
      if (fault.code !== 'session.lease-lost') lease.release().catch(() => {})
    },
  })
  sequencer.storedEvents = feed.readEvents
  feed.own(sequencer.unstored)
  lease.lost.addEventListener('abort', onLost, { once: true })
  renewLater()

  async function judge(given: Command, patience: AbortSignal): Promise<Judged> {
    const needed = needs(given)
    const known = given.type === 'abort' ? await needed : await unlessAborted(patience, needed)
    const { code, message } = patience.reason ?? {}
    if (known === undefined && code === 'session.closed') throw patience.reason
    const {
      command,
      runtime,
      notices = [],
      starts,
      prepared,
      rare,
      refusal,
    } = known ?? { command: given, runtime: home, refusal: refused(given, code, message) }
    const { state } = sequencer
    // A run that ended while the command waited: judged again, prepared.
    if (starts && prepared === undefined && state.run === undefined) return judge(given, patience)
    const config = (options?: RunSettings) => runConfig(runtime, prepared as Prepared, state, options)
    const at = clock.now()
    const verdict =
      refusal ??
      (command.type === 'input'
        ? judgeInput(state, command, config, at)
        : command.type === 'abort'
          ? judgeAbort(state, command)
          : (rare as Rare).judgeCommand(state, command, config, at))
    const { receipt, settles = [], row } = verdict
    const { runId } = receipt
    const told =
      receipt.status === 'refused' ? [] : notices.map((notice) => (runId === undefined ? notice : { ...notice, runId }))
    sequencer.sequence([...verdict.drafts, ...told], { receipts: [receipt, ...settles], ...(row && { row }) })
    const stored = sequencer.stored()
    if (verdict.stops !== undefined) pull(stored)
    others.delete(runIdOf(command.id))
    if (verdict.starts !== undefined) {
      if (runtime !== home) others.set(verdict.starts, runtime)
      start(verdict.starts, prepared)
    }
    resume()
    return { receipt, stored }
  }

  /** What is to be known before a command is judged, also from the app's own code. */
  async function needs(given: Command) {
    const runtime = others.get(runIdOf(given.id)) ?? home
    const screened = await screen(given, runtime)
    const { command = given, notices } = screened
    const starts = command.type === 'input' || command.type === 'continue' || command.type === 'input-change'
    const prepared =
      starts && sequencer.state.run === undefined ? await prepareRun(runtime, sessionId, command.by) : undefined
    // What stops a run waits for nothing.
    const rare = command.type === 'input' || command.type === 'abort' ? undefined : await import('./rare.ts')
    let { refusal } = screened
    if (refusal === undefined && command.type === 'resolve') {
      const { state } = sequencer
      refusal = await rare?.refuseEdit(others.get(state.run?.id ?? '') ?? home, state, command)
    }
    return { command, runtime, notices, starts, prepared, rare, refusal }
  }

  async function screen(command: Command, runtime: AgentRuntime): Promise<Screened> {
    const isWorded = command.type === 'input' || command.type === 'input-change' || command.type === 'resolve'
    const isAsked = runtime.compliance !== undefined || runtime.plugins.length > 0
    if (!isAsked || !isWorded) return {}
    return (await import('./rare.ts')).screenedCommand(runtime, sequencer.state, command)
  }

  /** A parked run that can go on does. */
  function resume(): void {
    const { state } = sequencer
    if (running === undefined && state.run !== undefined && !isParked(state)) start(state.run.id)
  }

  function start(runId: string, prepared?: Prepared): void {
    const controller = new AbortController()
    running = { controller, over: runAll(runId, prepared, controller) }
  }

  /** The run, and those that follow it from the queue. */
  async function runAll(runId: string, known: Prepared | undefined, controller: AbortController): Promise<void> {
    await Promise.resolve()
    const { signal } = controller
    try {
      const runtime = others.get(runId) ?? home
      const prepared = known ?? (await prepareAgain(runtime, signal))
      const run = createRunScope(runId, { runtime, home, sequencer, signal, prepared })
      const next = await runToFinish(run)
      await sequencer.stored()
      if (next === 'parked') {
        // It was answered while that was stored.
        if (!isParked(sequencer.state)) return start(runId, prepared)
      } else {
        const told = run
          .hooks?.()
          .then(({ stopped }) => stopped(run))
          .catch(() => {})
        if (next !== undefined) {
          others.delete(runId)
          return start(next.id, next.prepared)
        }
        await told
      }
    } catch (thrown) {
      if (!isGone) await closeFailed(runId, thrown)
    }
    if (sequencer.state.run?.id !== runId) others.delete(runId)
    // While its end was stored another run may have begun.
    if (running?.controller === controller) running = undefined
    await saveSnapshot()
    onIdle()
  }

  /** The app's values, for a run that goes on. One that is to stop needs none and does not wait for them. */
  async function prepareAgain(runtime: AgentRuntime, signal: AbortSignal): Promise<Prepared> {
    const { run } = sequencer.state
    if (run?.stopping) return NOTHING_PREPARED
    return (await unlessAborted(signal, prepareRun(runtime, sessionId, run?.by))) ?? NOTHING_PREPARED
  }

  /** A mistake of ours, or code that could not be loaded: the run still has its end, and every call its result. */
  async function closeFailed(runId: string, thrown: unknown): Promise<void> {
    logThrown(logger, 'error', 'A run failed', { runId })(thrown)
    const error = errorInfo(thrown)
    const rare = await import('./rare.ts').catch(() => undefined)
    if (rare !== undefined) {
      sequencer.sequence(rare.closeRun(sequencer.state, 'error', error), { row: NO_OPEN_RUN })
      return sequencer.stored().catch(() => {})
    }
    // Then the next owner writes its end.
    const { code, message } = error
    sequencer.fail(sequencer.state.run?.stopping ? aborted() : new StepwellError(code, message, { cause: thrown }))
  }

  /** The run's signal is pulled when its abort is stored, or after a second if the store is slow. */
  function pull(stored: Promise<void>): void {
    const { controller } = running ?? {}
    if (controller === undefined) return
    const pullNow = (): void => {
      cancel()
      controller.abort(aborted())
    }
    const cancel = clock.setTimer(pullNow, ABORT_PULL_MS)
    stored.then(pullNow, pullNow)
  }

  async function saveSnapshot(): Promise<void> {
    const { state } = sequencer
    if (isGone || state.run !== undefined || sequencer.storedEvents < SNAPSHOT_EVENTS) return
    await (await import('./rare.ts')).saveSnapshot(home, state)
    sequencer.storedEvents = 0
    feed.readEvents = 0
  }

  function renewLater(): void {
    const renew = (): void => {
      lease
        .renew()
        // Losing it is told by its signal; a store that fails for a while may still hold the lease.
        .catch(logThrown(logger, 'warn', 'A lease could not be renewed'))
        .finally(() => isGone || renewLater())
    }
    cancelRenewal = clock.setTimer(renew, LEASE_RENEW_MS, { background: true })
  }

  function onLost(): void {
    leave(new SessionError('session.lease-lost', 'Another process took the session over.'))
  }

  function leave(reason: StepwellError): void {
    if (isGone) return
    isGone = true
    cancelRenewal()
    lease.lost.removeEventListener('abort', onLost)
    sequencer.halt(reason)
    running?.controller.abort(reason)
    running = undefined
    feed.disown()
    onGone()
  }

  return {
    get hasOpenRun() {
      return sequencer.state.run !== undefined
    },
    get isRunning() {
      return running !== undefined
    },
    async idle() {
      while (running !== undefined) await running.over
    },
    async recover() {
      const { run } = sequencer.state
      if (run === undefined) return
      const { recoverRun } = await import('./rare.ts')
      if ((await recoverRun(home, sequencer)) === 'go-on') start(run.id)
    },
    judge,
    async release() {
      if (isGone) return
      await sequencer.flush().catch(() => {})
      leave(new SessionError('session.closed', 'The session was released by its owner.'))
      await lease.release()
    },
  }
}
