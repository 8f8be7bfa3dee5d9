import type { isStalled } from '../guards/stalled.ts'
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

export interface RunOptions {
  readonly runtime: AgentRuntime
  /** The session's own agent, which takes the runs from the queue. */
  readonly home: AgentRuntime
  readonly sequencer: Sequencer
  /** Pulled when the run is stopped, and when its owner cannot go on. */
  readonly signal: AbortSignal
  readonly prepared: Prepared
}

/** What one open run has at hand. */
export type RunScope = ReturnType<typeof createRunScope>

export function createRunScope(id: string, { runtime, home, sequencer, signal, prepared }: RunOptions) {
  const { changed, stored } = sequencer
  const sequence: (drafts: readonly EventDraft[], write?: Write) => void = sequencer.sequence
  const { clock } = runtime
  const models = [runtime.model, ...runtime.fallbacks]
  // A run that was parked goes on with the model it had come to.
  const isFallback = ({ runId, code }: NoticeEvent): boolean => runId === id && code === 'model.fallback'
  let model = Math.min(sequencer.state.notices.filter(isFallback).length, runtime.fallbacks.length)
  const open = () => sequencer.state.run
  const scope = {
    id,
    runtime,
    home,
    signal,
    prepared,
    clock,
    /** The model that answered last, and the one that was asked. */
    models: {} as { model?: string; requestedModel?: string },
    /** Until its first turn, a reply in the state is one that a dead owner left open. */
    tookTurn: false,
    /** Blank replies so far, and replies that did not fit the schema. */
    asked: { blank: 0, output: 0 },
    /** Once it is loaded: a long run asks it after every turn. */
    isStalled: undefined as typeof isStalled | undefined,
    /** Everything sequenced so far, folded. */
    get state(): SessionState {
      return sequencer.state
    },
    /** The model that is asked now. */
    get model(): ModelProvider {
      return models[model] as ModelProvider
    },
    /** Asks the next model from here on. False when there is none. */
    fallBack(): boolean {
      if (model + 1 >= models.length) return false
      model++
      return true
    },
    /** Loads what plugins do; undefined where there are none. */
    get hooks() {
      return runtime.plugins.length > 0 ? loadHooks : undefined
    },
    /** An abort was sequenced: no further effect starts. */
    get isStopping(): boolean {
      return open()?.stopping === true
    },
    /** Why its owner cannot go on: nothing is sequenced any more. */
    get fault(): StepwellError | undefined {
      return sequencer.fault
    },
    /** The reply a dead owner left open: it is asked for again. */
    get openReply(): AssistantMessage | undefined {
      return scope.tookTurn ? undefined : sequencer.state.pending.message
    },
    /** Who asked for the run. */
    get by(): string | undefined {
      return open()?.by
    },
    /** Nobody is there to be asked. */
    get isUnattended(): boolean {
      return open()?.config.unattended === true
    },
    /** Turns taken so far. */
    get turns(): number {
      return open()?.turn ?? 0
    },
    get maxTurns(): number {
      return open()?.config.maxTurns ?? runtime.maxTurns
    },
    get graceTurns(): number {
      return open()?.config.graceTurns ?? 0
    },
    /** Whether someone wrote into the run since its last model request. */
    get isSteered(): boolean {
      return sequencer.state.pending.lanes.steer.length > 0
    },
    get settings(): ModelSettings {
      return (open()?.config.settings ?? {}) as ModelSettings
    },
    /** Tells people what happened without their asking. */
    notice(code: NoticeCode, text: string, details?: JsonObject): void {
      const notice: EventDraft = { type: 'notice', runId: id, code, text }
      sequence([details === undefined ? notice : { ...notice, details }])
    },
    /** Tells the model something that nobody said. */
    tellModel(text: string): void {
      const note = { role: 'note', id: runtime.ids('msg'), at: clock.now(), runId: id, kind: 'system' } as const
      sequence([{ type: 'message', runId: id, message: { ...note, text, toModel: true } }])
    },
    sequence,
    /** Resolves when a request was opened or resolved, or the run is to stop. Rejects when its owner cannot go on. */
    changed,
    /** Resolves when everything sequenced so far is stored: only then an effect may start. */
    stored,
  }
  return scope
}
