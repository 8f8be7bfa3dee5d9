import { type Command, type Receipt, type RunSettings, runIdOf } from '../protocol/commands.ts'
import { errorInfo, SessionError, StepwellError, thrownText } from '../protocol/errors.ts'
import { PROTOCOL_VERSION } from '../protocol/events.ts'
import { unlessAborted } from '../protocol/unless-aborted.ts'
import type { Lease } from '../stores/store.ts'
import { isParked } from './deadlines.ts'
import { ABORT_PULL_MS, LEASE_RENEW_MS, SNAPSHOT_EVENTS } from './defaults.ts'
import type { Feed } from './feed.ts'
import { judgeAbort, judgeInput, NO_OPEN_RUN, refused } from './judge.ts'
import { NOTHING_PREPARED, type Prepared, prepareRun, runConfig } from './prepare.ts'
import { runToFinish } from './run.ts'
import { RunScope } from './run-scope.ts'
import type { AgentRuntime } from './runtime.ts'
import type { Screened } from './screened-command.ts'
import { Sequencer } from './sequencer.ts'

type Rare = typeof import('./rare.ts')

/** A command that has its place in the order. Everyone may see the receipt when it is stored. */
export interface Judged {
  readonly receipt: Receipt
  readonly stored: Promise<void>
}

/** The one process that may append to a session, for as long as it holds the lease. */
export class Owner {
  readonly #runtime: AgentRuntime
  readonly #feed: Feed
  readonly #lease: Lease
  readonly #sequencer: Sequencer
  readonly #onGone: () => void
  readonly #others: Map<string, AgentRuntime>
  #run: { readonly id: string; readonly controller: AbortController; readonly over: Promise<void> } | undefined
  #cancelRenewal = (): void => {}
  #gone = false

  constructor(
    runtime: AgentRuntime,
    feed: Feed,
    lease: Lease,
    { onGone, others }: { onGone(): void; others: Map<string, AgentRuntime> },
  ) {
    const { v } = feed.state.row
    if (v > PROTOCOL_VERSION) {
      throw new SessionError(
        'protocol.too-new',
        `The session was written with protocol version ${v}; this library writes ${PROTOCOL_VERSION}. Update it.`,
      )
    }
    this.#runtime = runtime
    this.#feed = feed
    this.#lease = lease
    this.#onGone = onGone
    this.#others = others
    this.#sequencer = new Sequencer({
      store: runtime.store,
      clock: runtime.clock,
      generation: lease.generation,
      state: feed.state,
      show: (batch, state) => {
        feed.show(batch, state)
        runtime.bus?.publish(feed.state.id, batch)
        for (const plugin of runtime.plugins) {
          try {
            plugin.observe?.(batch.events, state)
          } catch (thrown) {
            const details = { plugin: plugin.name, error: thrownText(thrown) }
            runtime.logger.log('error', 'A plugin that observes events threw', details)
          }
        }
      },
      onFault: (fault) => {
        this.#leave(fault)
        if (fault.code !== 'session.lease-lost') lease.release().catch(() => {})
      },
    })
    this.#sequencer.storedEvents = feed.readEvents
    feed.own(() => this.#sequencer.unstored())
    lease.lost.addEventListener('abort', this.#onLost, { once: true })
    this.#renewLater()
  }

  /** Whether a run has no end yet. */
  get hasOpenRun(): boolean {
    return this.#sequencer.state.run !== undefined
  }

  /** Whether a run is open here, or has not been put away yet. */
  get isRunning(): boolean {
    return this.#run !== undefined
  }

  /** Settles when no run is open here any more. */
  async idle(): Promise<void> {
    while (this.#run !== undefined) await this.#run.over
  }

  /** Closes or resumes what a dead owner left open. */
  async recover(): Promise<void> {
    const { run } = this.#sequencer.state
    if (run === undefined) return
    const { recoverRun } = await import('./rare.ts')
    if ((await recoverRun(this.#runtime, this.#sequencer)) === 'go-on') this.#start(run.id)
  }

  /**
   * Judges a command on everything sequenced before it. To be called one at a time. What it needs of others is given up
   * when `patience` is at its end: then it is refused, or rejects where the session was closed.
   */
  async judge(given: Command, patience: AbortSignal): Promise<Judged> {
    const needs = this.#needs(given)
    const known = given.type === 'abort' ? await needs : await unlessAborted(patience, needs)
    if (known === undefined && patience.reason.code === 'session.closed') throw patience.reason
    const {
      command,
      runtime,
      notices = [],
      starts,
      prepared,
      rare,
      refusal,
    } = known ?? {
      command: given,
      runtime: this.#runtime,
      refusal: refused(given, patience.reason.code, patience.reason.message),
    }
    const { state } = this.#sequencer
    // A run that ended while the command waited: judged again, prepared.
    if (starts && prepared === undefined && state.run === undefined) return this.judge(given, patience)
    const config = (options?: RunSettings) => runConfig(runtime, prepared as Prepared, state, options)
    const at = this.#runtime.clock.now()
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
    this.#sequencer.sequence([...verdict.drafts, ...told], { receipts: [receipt, ...settles], ...(row && { row }) })
    const stored = this.#sequencer.stored()
    if (verdict.stops !== undefined) this.#pull(stored)
    this.#others.delete(runIdOf(command.id))
    if (verdict.starts !== undefined) {
      if (runtime !== this.#runtime) this.#others.set(verdict.starts, runtime)
      this.#start(verdict.starts, prepared)
    }
    this.#resume()
    return { receipt, stored }
  }

  /** What is to be known before a command is judged, also from the app's own code. */
  async #needs(given: Command) {
    const runtime = this.#others.get(runIdOf(given.id)) ?? this.#runtime
    const screened = await this.#screened(given, runtime)
    const { command = given, notices, refusal } = screened
    const starts = command.type === 'input' || command.type === 'continue' || command.type === 'input-change'
    const prepared =
      starts && this.#sequencer.state.run === undefined
        ? await prepareRun(runtime, this.#feed.state.id, command.by)
        : undefined
    // What stops a run waits for nothing.
    const rare = command.type === 'input' || command.type === 'abort' ? undefined : await import('./rare.ts')
    if (refusal !== undefined || command.type !== 'resolve') {
      return { command, runtime, notices, starts, prepared, rare, refusal }
    }
    const { state } = this.#sequencer
    const its = this.#others.get(state.run?.id ?? '') ?? this.#runtime
    return { command, runtime, notices, starts, prepared, rare, refusal: await rare?.refuseEdit(its, state, command) }
  }

  async #screened(command: Command, runtime: AgentRuntime): Promise<Screened> {
    const isWorded = command.type === 'input' || command.type === 'input-change' || command.type === 'resolve'
    const isAsked = runtime.compliance !== undefined || runtime.plugins.length > 0
    if (!isAsked || !isWorded) return { command, notices: [] }
    return (await import('./rare.ts')).screenedCommand(runtime, this.#sequencer.state, command)
  }

  /** A parked run that can go on does. */
  #resume(): void {
    const { state } = this.#sequencer
    if (this.#run === undefined && state.run !== undefined && !isParked(state)) this.#start(state.run.id)
  }

  /** Gives the session up. An open run is left as it is, for the next owner to recover. */
  async release(): Promise<void> {
    if (this.#gone) return
    await this.#sequencer.flush().catch(() => {})
    this.#leave(new SessionError('session.closed', 'The session was released by its owner.'))
    await this.#lease.release()
  }

  #start(runId: string, prepared?: Prepared): void {
    const controller = new AbortController()
    const over = this.#runAll(runId, prepared, controller)
    this.#run = { id: runId, controller, over }
  }

  /** The run, and those that follow it from the queue. */
  async #runAll(runId: string, known: Prepared | undefined, controller: AbortController): Promise<void> {
    await Promise.resolve()
    const { signal } = controller
    const sequencer = this.#sequencer
    try {
      const runtime = this.#others.get(runId) ?? this.#runtime
      const prepared = known ?? (await this.#prepareAgain(runtime, signal))
      const run = new RunScope(runId, { runtime, home: this.#runtime, sequencer, signal, prepared })
      const next = await runToFinish(run)
      await sequencer.stored()
      if (next === 'parked') {
        // It was answered while that was stored.
        if (!isParked(sequencer.state)) return this.#start(runId, prepared)
      } else {
        const told = run
          .hooks?.()
          .then(({ stopped }) => stopped(run))
          .catch(() => {})
        if (next !== undefined) {
          this.#others.delete(runId)
          return this.#start(next.id, next.prepared)
        }
        await told
      }
    } catch (thrown) {
      if (!this.#gone) await this.#closeFailed(runId, thrown)
    }
    if (sequencer.state.run?.id !== runId) this.#others.delete(runId)
    // While its end was stored another run may have begun.
    if (this.#run?.controller === controller) this.#run = undefined
    await this.#saveSnapshot()
    this.#onGone()
  }

  /** A mistake of ours, or code that could not be loaded: the run still has its end, and every call its result. */
  async #closeFailed(runId: string, thrown: unknown): Promise<void> {
    const sequencer = this.#sequencer
    this.#runtime.logger.log('error', 'A run failed', { runId, error: thrownText(thrown) })
    const rare = await import('./rare.ts').catch(() => undefined)
    if (rare !== undefined) {
      sequencer.sequence(rare.closeRun(sequencer.state, 'error', errorInfo(thrown)), { row: NO_OPEN_RUN })
      return sequencer.stored().catch(() => {})
    }
    const { code, message } = errorInfo(thrown)
    // Then the next owner writes its end.
    sequencer.fail(sequencer.state.run?.stopping ? stopped() : new StepwellError(code, message, { cause: thrown }))
  }

  /** The app's values, for a run that goes on. One that is to stop needs none and does not wait for them. */
  async #prepareAgain(runtime: AgentRuntime, signal: AbortSignal): Promise<Prepared> {
    const { run, id } = this.#sequencer.state
    if (run?.stopping) return NOTHING_PREPARED
    return (await unlessAborted(signal, prepareRun(runtime, id, run?.by))) ?? NOTHING_PREPARED
  }

  /** The run's signal is pulled when its abort is stored, or after a second if the store is slow. */
  #pull(stored: Promise<void>): void {
    const { controller } = this.#run ?? {}
    if (controller === undefined) return
    const pull = (): void => {
      cancel()
      controller.abort(stopped())
    }
    const cancel = this.#runtime.clock.setTimer(pull, ABORT_PULL_MS)
    stored.then(pull, pull)
  }

  readonly #onLost = (): void => {
    this.#leave(new SessionError('session.lease-lost', 'Another process took the session over.'))
  }

  #renewLater(): void {
    this.#cancelRenewal = this.#runtime.clock.setTimer(
      () => {
        this.#lease
          .renew()
          // Losing it is told by its signal; a store that fails for a while may still hold the lease.
          .catch((error) =>
            this.#runtime.logger.log('warn', 'A lease could not be renewed', { error: thrownText(error) }),
          )
          .finally(() => this.#gone || this.#renewLater())
      },
      LEASE_RENEW_MS,
      { background: true },
    )
  }

  #leave(reason: StepwellError): void {
    if (this.#gone) return
    this.#gone = true
    this.#cancelRenewal()
    this.#lease.lost.removeEventListener('abort', this.#onLost)
    this.#sequencer.halt(reason)
    this.#run?.controller.abort(reason)
    this.#run = undefined
    this.#feed.disown()
    this.#onGone()
  }

  get gone(): boolean {
    return this.#gone
  }

  async #saveSnapshot(): Promise<void> {
    const { state } = this.#sequencer
    if (this.#gone || state.run !== undefined || this.#sequencer.storedEvents < SNAPSHOT_EVENTS) return
    const { saveSnapshot } = await import('./rare.ts')
    await saveSnapshot(this.#runtime, state)
    this.#sequencer.storedEvents = 0
    this.#feed.readEvents = 0
  }
}

function stopped(): SessionError {
  return new SessionError('session.aborted', 'The run was stopped.')
}
