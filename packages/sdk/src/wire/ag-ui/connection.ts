import type { AgentHost, HostedSession } from '../../agent/host.ts'
import { runIdOf } from '../../protocol/commands.ts'
import { type ErrorInfo, thrownText } from '../../protocol/errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { AgentSession } from '../../protocol/session.ts'
import type { SessionState } from '../../protocol/state.ts'
import { notFound, toldError } from '../server/errors.ts'
import { EventStream } from '../server/event-stream.ts'
import { dataFrames } from '../server/frame.ts'
import { type Asked, type Asking, askFor, askToContinue, submit } from './ask.ts'
import { Emitter } from './emitter.ts'
import type { AGUIEvent } from './events.ts'
import type { RunInput } from './input.ts'
import type { News } from './news.ts'
import { type Ending, ended, letGo, waiting } from './outcome.ts'
import { SharedState } from './shared-state.ts'
import { usageOf } from './usage.ts'
import { Watch } from './watch.ts'

export interface ConnectionOptions {
  readonly host: AgentHost
  readonly session: HostedSession
  readonly handle: AgentSession
  readonly input: RunInput
  readonly news: News
  readonly by: string
  /** Whether a client with nothing new may have the session go on. */
  readonly mayContinue: boolean
  readonly heartbeatMs: number
  readonly onDisconnect: 'continue' | 'abort'
  readonly state: ((state: SessionState) => JsonObject) | undefined
  /** The client's request set something going here. */
  onAsked(): void
}

const HEARTBEAT = new TextEncoder().encode(':\n\n')

/** One run of a client: what it asks for, and everything that comes of it, until the run ends or waits for the client. */
export class Connection {
  readonly stream = new EventStream()
  readonly #options: ConnectionOptions
  readonly #asking: Asking
  readonly #watch: Watch
  readonly #emitter: Emitter
  readonly #shared: SharedState
  #asked: Asked | undefined
  #isOver = false
  #cancelBeat = (): void => {}

  constructor(options: ConnectionOptions) {
    const { host, session, handle, input, by, state } = options
    const { store, clock, ids, logger } = host.runtime
    this.#options = options
    this.#asking = {
      session,
      store,
      by,
      now: () => clock.now(),
      mint: (prefix) => ids(prefix),
      settled: (inputId) => handle.settled(inputId),
    }
    this.#emitter = new Emitter(input.transcript)
    this.#shared = new SharedState(state, logger)
    this.#watch = new Watch(session, () => this.#advance())
    this.stream.listen({ onRoom: () => this.#advance(), onClose: () => this.#onClose() })
    this.#beatLater()
  }

  /** Never rejects: what goes wrong from here on is told in the stream. */
  async run(): Promise<void> {
    const { input, onAsked } = this.#options
    const { threadId, runId, dialect } = input
    const version = dialect === '1.0' ? { protocolVersion: dialect } : {}
    this.#write([{ type: 'RUN_STARTED', threadId, runId, ...version }])
    try {
      const asked = await this.#ask()
      if (asked.isActive) onAsked()
      if (this.#isOver) return
      this.#asked = asked
      const { runId: followed, error } = asked
      if (followed === undefined) {
        return this.#end({ reason: error === undefined ? 'stop' : 'error', ...(error && { error }) })
      }
      this.#advance()
      if (!this.stream.isOpen) return this.#onClose()
      await this.#findEnd(followed)
    } catch (thrown) {
      this.#fail(thrown)
    }
  }

  /** Asks for what is new, and tells the client where it stands. */
  async #ask(): Promise<Asked> {
    const { news, mayContinue } = this.#options
    const before = this.#watch.state
    const asked = await askFor(news, before, this.#asking)
    const isCurrent = news.isCurrent && asked.said.length === news.messages.length
    this.#write([...this.#emitter.begin(before, asked.said, isCurrent), ...this.#shared.show(before)])
    if (asked.runId !== undefined || asked.error !== undefined || !mayContinue || !news.isCurrent) return asked
    const runId = await askToContinue(this.#asking)
    return runId === undefined ? asked : { ...asked, runId, isActive: true }
  }

  /** Ends the stream. The run goes on. */
  letGo(): void {
    this.#end({ reason: 'error', error: letGo() })
  }

  /** Shows what is new, if there is room for it, and ends when the run is over or waits for the client. */
  #advance(): void {
    const runId = this.#asked?.runId
    if (this.#isOver || runId === undefined) return
    try {
      const { state, over } = this.#watch
      const end = this.#watch.endOf(runId)
      if (end !== undefined) return this.#end(end.ending, end.state)
      if (over !== undefined) return this.#end({ reason: 'error', error: over.fault ?? letGo() })
      if (this.#isReturned(state, runId)) return this.#end({ reason: 'aborted' })
      if (this.#waitsForClient(state, runId)) return this.#finish(state, this.#waiting(state, runId))
      if (this.stream.hasRoom) this.#write(this.#show(state))
    } catch (thrown) {
      this.#fail(thrown)
    }
  }

  /** Nothing but answers can make progress, and none is on its way. */
  #waitsForClient({ run, status, pending }: SessionState, runId: string): boolean {
    if (run?.id !== runId || status !== 'waiting') return false
    return !pending.requests.some(({ id }) => this.#asked?.answered.has(id))
  }

  /** What it said was handed back before its run could begin. */
  #isReturned({ run }: SessionState, runId: string): boolean {
    const last = this.#asked?.said.at(-1)
    return last !== undefined && run?.id !== runId && this.#watch.wasReturned(last.id)
  }

  /** A run that ended before it was watched: the same message was posted before. */
  async #findEnd(runId: string): Promise<void> {
    await this.#options.session.lookAfter()
    const { run, pending } = this.#watch.state
    if (this.#isOver || run?.id === runId || pending.lanes.queue.some(({ id }) => runIdOf(id) === runId)) return
    const { reason, error, output } = await this.#options.handle.follow(runId).result
    this.#end({ reason, ...(error && { error }), ...(output !== undefined && { output }) })
  }

  #waiting({ pending }: SessionState, runId: string): AGUIEvent {
    const { input } = this.#options
    return waiting(pending.requests, input, usageOf(this.#watch.callsOf(runId), input.dialect))
  }

  #end(ending: Ending, state = this.#watch.state): void {
    const { input } = this.#options
    const calls = this.#watch.callsOf(this.#asked?.runId ?? '')
    this.#finish(state, ended(ending, input, usageOf(calls, input.dialect)))
  }

  #fail(thrown: unknown): void {
    if (this.#isOver) return
    const { error } = toldError(thrown, this.#options.host.runtime.logger)
    this.#close([...this.#emitter.close(), ended({ reason: 'error', error }, this.#options.input, [])])
  }

  #finish(state: SessionState, last: AGUIEvent): void {
    if (this.#isOver) return
    this.#close([...(this.#asked === undefined ? [] : this.#show(state)), ...this.#emitter.close(), last])
  }

  #show(state: SessionState): AGUIEvent[] {
    return [...this.#emitter.show(state), ...this.#shared.show(state)]
  }

  #close(last: readonly AGUIEvent[]): void {
    this.#isOver = true
    this.#write(last)
    this.#release()
    this.stream.close()
  }

  #release(): void {
    this.#watch.stop()
    this.#cancelBeat()
  }

  /** The client left, and perhaps meant to stop the run: its protocol has no other word for that. */
  #onClose(): void {
    this.#release()
    if (this.#isOver) return
    const { onDisconnect, host } = this.#options
    const runId = this.#asked?.runId
    // What it asked for is under way: then this is called once more.
    if (runId === undefined) return
    this.#isOver = true
    if (onDisconnect === 'continue' || !this.#asked?.isActive) return
    submit(this.#asking, { type: 'abort', runId }).catch((thrown: unknown) => {
      host.runtime.logger.log('error', 'A run could not be stopped', { error: thrownText(thrown) })
    })
  }

  /** All at once: writing asks for more as long as there is room. */
  #write(events: readonly AGUIEvent[]): void {
    if (events.length === 0) return
    this.stream.write(dataFrames(events))
  }

  #beatLater(): void {
    const { host, heartbeatMs } = this.#options
    this.#cancelBeat = host.runtime.clock.setTimer(
      () => {
        this.#beatLater()
        if (this.stream.hasRoom) this.stream.write(HEARTBEAT)
        void this.#lookUp()
      },
      heartbeatMs,
      { background: true },
    )
  }

  /** A session that was deleted is noticed by nobody else. */
  async #lookUp(): Promise<void> {
    const { host, session } = this.#options
    const { store, logger } = host.runtime
    try {
      if ((await store.get(session.id)) !== undefined) return
      const gone: ErrorInfo = notFound(session.id).toJSON()
      this.#end({ reason: 'error', error: gone })
    } catch (thrown) {
      logger.log('warn', 'A session could not be looked up', { error: thrownText(thrown) })
    }
  }
}
