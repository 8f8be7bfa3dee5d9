import type { Clock } from '../protocol/clock.ts'
import type { StepwellError } from '../protocol/errors.ts'
import type { EventDraft, Finish, NoticeEvent } from '../protocol/events.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { AssistantMessage } from '../protocol/messages.ts'
import type { NoticeCode } from '../protocol/notices.ts'
import type { SessionState } from '../protocol/state.ts'
import type { ModelProvider, ModelSettings } from '../providers/provider.ts'
import type { Prepared } from './prepare.ts'
import type { AgentRuntime } from './runtime.ts'
import type { Sequencer, Write } from './sequencer.ts'

const loadHooks = () => import('./hooks.ts')

/** How a run ends. */
export type Ending = Pick<Finish, 'reason' | 'error' | 'breach' | 'output'>

/** What one open run has at hand. */
export class RunScope {
  /** The model that answered last, and the one that was asked. */
  models: { model?: string; requestedModel?: string } = {}
  /** Until its first turn, a reply in the state is one that a dead owner left open. */
  tookTurn = false
  readonly id: string
  readonly runtime: AgentRuntime
  /** The session's own agent, which takes the runs from the queue. */
  readonly home: AgentRuntime
  /** Pulled when the run is stopped, and when its owner cannot go on. */
  readonly signal: AbortSignal
  readonly prepared: Prepared
  /** Blank replies so far, and replies that did not fit the schema. */
  readonly asked = { blank: 0, output: 0 }
  /** The model in use, of the agent's own and its fallbacks. */
  #model: number
  readonly #sequencer: Sequencer

  constructor(
    id: string,
    options: {
      runtime: AgentRuntime
      home: AgentRuntime
      sequencer: Sequencer
      signal: AbortSignal
      prepared: Prepared
    },
  ) {
    this.id = id
    this.runtime = options.runtime
    this.home = options.home
    this.signal = options.signal
    this.prepared = options.prepared
    this.#sequencer = options.sequencer
    // A run that was parked goes on with the model it had come to.
    const isFallback = ({ runId, code }: NoticeEvent): boolean => runId === id && code === 'model.fallback'
    this.#model = Math.min(this.state.notices.filter(isFallback).length, this.runtime.fallbacks.length)
  }

  /** Everything sequenced so far, folded. */
  get state(): SessionState {
    return this.#sequencer.state
  }

  /** The model that is asked now. */
  get model(): ModelProvider {
    return this.#models[this.#model] as ModelProvider
  }

  get #models(): readonly ModelProvider[] {
    return [this.runtime.model, ...this.runtime.fallbacks]
  }

  /** Asks the next model from here on. False when there is none. */
  fallBack(): boolean {
    if (this.#model + 1 >= this.#models.length) return false
    this.#model++
    return true
  }

  /** Loads what plugins do; undefined where there are none. */
  get hooks() {
    return this.runtime.plugins.length > 0 ? loadHooks : undefined
  }

  get clock(): Clock {
    return this.runtime.clock
  }

  get problem(): StepwellError | undefined {
    return this.prepared.problem
  }

  /** An abort was sequenced: no further effect starts. */
  get isStopping(): boolean {
    return this.state.run?.stopping === true
  }

  /** Why its owner cannot go on: nothing is sequenced any more. */
  get fault(): StepwellError | undefined {
    return this.#sequencer.fault
  }

  /** The reply a dead owner left open: it is asked for again. */
  get openReply(): AssistantMessage | undefined {
    return this.tookTurn ? undefined : this.state.pending.message
  }

  /** Who asked for the run. */
  get by(): string | undefined {
    return this.state.run?.by
  }

  /** Nobody is there to be asked. */
  get isUnattended(): boolean {
    return this.state.run?.config.unattended === true
  }

  /** Turns taken so far. */
  get turns(): number {
    return this.state.run?.turn ?? 0
  }

  get maxTurns(): number {
    return this.state.run?.config.maxTurns ?? this.runtime.maxTurns
  }

  get graceTurns(): number {
    return this.state.run?.config.graceTurns ?? 0
  }

  /** Whether someone wrote into the run since its last model request. */
  get isSteered(): boolean {
    return this.state.pending.lanes.steer.length > 0
  }

  get settings(): ModelSettings {
    return (this.state.run?.config.settings ?? {}) as ModelSettings
  }

  /** Tells people what happened without their asking. */
  notice(code: NoticeCode, text: string, details?: JsonObject): void {
    this.sequence([{ type: 'notice', runId: this.id, code, text, ...(details && { details }) }])
  }

  /** Tells the model something that nobody said. */
  tellModel(text: string): void {
    const { id: runId } = this
    const message = {
      role: 'note',
      id: this.runtime.ids('msg'),
      at: this.clock.now(),
      runId,
      kind: 'system',
      text,
    } as const
    this.sequence([{ type: 'message', runId, message: { ...message, toModel: true } }])
  }

  sequence(drafts: readonly EventDraft[], write?: Write): void {
    this.#sequencer.sequence(drafts, write)
  }

  /** Resolves when a request was opened or resolved, or the run is to stop. Rejects when its owner cannot go on. */
  changed(): Promise<void> {
    return this.#sequencer.changed()
  }

  /** Resolves when everything sequenced so far is stored: only then an effect may start. */
  stored(): Promise<void> {
    return this.#sequencer.stored()
  }
}
