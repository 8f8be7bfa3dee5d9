import type { Command, InputCommand, Receipt, RunSettings, SessionPatch } from '../protocol/commands.ts'
import { runIdOf } from '../protocol/commands.ts'
import { type JsonObject, normalise } from '../protocol/json.ts'
import type { UserPart } from '../protocol/messages.ts'
import type { Resolution } from '../protocol/requests.ts'
import type {
  AgentSession,
  Answer,
  CommandOptions,
  ForkOptions,
  InputChange,
  InputContent,
  Run,
  RunOptions,
  SendOptions,
  SettledInput,
} from '../protocol/session.ts'
import { checkMaxTurns } from './check-options.ts'
import type { OpenSession } from './fork.ts'
import type { Hub } from './hub.ts'
import { storedInput } from './input-content.ts'
import { readEvents } from './reader.ts'
import { followRun, startRun } from './run-handle.ts'
import type { AgentRuntime } from './runtime.ts'

type Without<C, K extends PropertyKey> = C extends unknown ? Omit<C, K> : never

/** A handle of a session in this process. Any number of handles share one hub. */
export class LocalSession implements AgentSession {
  readonly #hub: Hub
  readonly #runtime: AgentRuntime
  readonly #open: OpenSession
  /** What ends with this handle. */
  readonly #held = new Set<() => void>()

  constructor(hub: Hub, runtime: AgentRuntime, open: OpenSession) {
    this.#hub = hub
    this.#runtime = runtime
    this.#open = open
  }

  get id() {
    return this.#hub.id
  }

  get ready() {
    return this.#hub.ready
  }

  get state() {
    return this.#hub.feed.state
  }

  subscribe(listener: Parameters<AgentSession['subscribe']>[0]): () => void {
    const unsubscribe = this.#hub.feed.subscribe(listener)
    const release = (): void => {
      this.#held.delete(release)
      unsubscribe()
    }
    this.#held.add(release)
    return release
  }

  events({ after = 0, signal }: { readonly after?: number; readonly signal?: AbortSignal } = {}) {
    const { feed, ready } = this.#hub
    const release = (): void => void reader.return?.()
    const reader = readEvents({
      feed,
      store: this.#runtime.store,
      ready,
      after: () => after,
      onEnd: () => this.#held.delete(release),
      ...(signal && { signal }),
    })
    this.#held.add(release)
    return reader
  }

  run(input: InputContent, options: RunOptions = {}): Run {
    const id = options.commandId ?? this.#runtime.ids('in')
    return startRun(this.#handle(runIdOf(id), options.signal), async () =>
      this.#input(input, { id, mode: 'run', ...asked(options) }, options.commandId !== undefined),
    )
  }

  send(input: InputContent, { mode = 'steer', supersede, by, commandId }: SendOptions = {}): Promise<Receipt> {
    const id = commandId ?? this.#runtime.ids('in')
    const more = { ...(supersede && { supersede }), ...(by !== undefined && { by }) }
    return this.#input(input, { id, mode, ...more }, commandId !== undefined)
  }

  follow(runId: string): Run {
    return followRun(this.#handle(runId))
  }

  abort(runId?: string, { by, commandId }: CommandOptions = {}): Promise<Receipt> {
    return this.#command({ type: 'abort', ...(runId !== undefined && { runId }) }, { by, commandId })
  }

  continue(options: RunOptions = {}): Run {
    const id = options.commandId ?? this.#runtime.ids('cmd')
    return startRun(this.#handle(runIdOf(id), options.signal), async () =>
      this.#submit({ type: 'continue', id, ...asked(options) }, options.commandId !== undefined),
    )
  }

  update(patch: SessionPatch, { by, commandId }: CommandOptions = {}): Promise<Receipt> {
    return this.#command({ type: 'update', row: normalise(patch) as SessionPatch }, { by, commandId })
  }

  resolve(requestId: string, answer: Answer, { by, commandId }: CommandOptions = {}): Promise<Receipt> {
    const resolution = typeof answer === 'string' ? { decision: answer } : (normalise(answer) as Resolution)
    return this.#command({ type: 'resolve', requestId, resolution }, { by, commandId })
  }

  async changeInput(inputId: string, change: InputChange, { by, commandId }: CommandOptions = {}): Promise<Receipt> {
    const { input, lane, remove } = change
    const parts = input === undefined ? {} : { parts: await this.#stored(input) }
    const to = { ...(lane !== undefined && { lane }), ...(remove && { remove }) }
    return this.#command({ type: 'input-change', inputId, ...parts, ...to }, { by, commandId })
  }

  async settled(inputId: string): Promise<SettledInput> {
    await this.#hub.ready
    const { settledInput } = await import('./rare.ts')
    return settledInput(this.#hub.feed, this.#runtime.store, inputId)
  }

  rewind(toMessageId?: string, { by, commandId }: CommandOptions = {}): Promise<Receipt> {
    return this.#command({ type: 'rewind', ...(toMessageId !== undefined && { toMessageId }) }, { by, commandId })
  }

  async fork(options: ForkOptions = {}): Promise<AgentSession> {
    await this.#hub.ready
    const { fork } = await import('./rare.ts')
    return fork(this.#hub.feed, this.#runtime, options, this.#open)
  }

  async close(): Promise<void> {
    for (const release of [...this.#held]) release()
  }

  #input(input: InputContent, command: Omit<InputCommand, 'type' | 'at' | 'parts'>, repeatable: boolean) {
    const at = this.#runtime.clock.now()
    const taken = this.#stored(input).then((parts): Command => ({ ...command, type: 'input', at, parts }))
    return this.#hub.submit(taken, repeatable)
  }

  #submit(command: Without<Command, 'at'>, repeatable = false): Promise<Receipt> {
    return this.#hub.submit({ ...command, at: this.#runtime.clock.now() } as Command, repeatable)
  }

  #command(
    command: Without<Command, 'id' | 'at' | 'by'>,
    { by, commandId }: { readonly by: string | undefined; readonly commandId: string | undefined },
  ): Promise<Receipt> {
    const id = commandId ?? this.#runtime.ids('cmd')
    return this.#submit({ ...command, id, ...(by !== undefined && { by }) }, commandId !== undefined)
  }

  #stored(input: InputContent): Promise<UserPart[]> {
    return storedInput(input, this.id, { store: this.#runtime.store, ready: this.#hub.ready })
  }

  #handle(runId: string, signal?: AbortSignal) {
    return {
      hub: this.#hub,
      store: this.#runtime.store,
      runId,
      ...(signal && { signal }),
      stop: (open: string) => void this.abort(open).catch(() => {}),
    }
  }
}

function asked({ by, maxTurns, unattended, settings, metadata }: RunOptions): { by?: string; options?: RunSettings } {
  checkMaxTurns(maxTurns)
  const options: RunSettings = {
    ...(maxTurns !== undefined && { maxTurns }),
    ...(unattended !== undefined && { unattended }),
    ...(settings !== undefined && { settings: normalise(settings) as JsonObject }),
    ...(metadata !== undefined && { metadata: normalise(metadata) as JsonObject }),
  }
  return { ...(by !== undefined && { by }), ...(Object.keys(options).length > 0 && { options }) }
}
