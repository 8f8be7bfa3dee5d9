import type { Command, Receipt, RunSettings, SessionPatch } from '../protocol/commands.ts'
import { runIdOf } from '../protocol/commands.ts'
import { normalise } from '../protocol/json.ts'
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
  SendOptions,
  SettledInput,
} from '../protocol/session.ts'
import type { OpenSession } from './fork.ts'
import type { Hub } from './hub.ts'
import { storedInput } from './input-content.ts'
import { readEvents } from './reader.ts'
import { followRun, startRun } from './run-handle.ts'
import type { LocalRunOptions, Session } from './run-settings.ts'
import type { AgentRuntime } from './runtime.ts'

type Without<C, K extends PropertyKey> = C extends unknown ? Omit<C, K> : never
/** What is a command's own. */
type Fields = Without<Command, 'id' | 'at' | 'by'>

/** A handle of a session in this process. Any number of handles share one hub. */
export class LocalSession implements Session {
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

  run(input: InputContent, options: LocalRunOptions = {}): Run {
    const id = options.commandId ?? this.#runtime.ids('in')
    return startRun(this.#handle(runIdOf(id), options.signal), () => {
      const asked = Promise.all([this.#stored(input), this.#given(id, options)])
      const command = asked.then(([parts, given]): Fields => ({ type: 'input', mode: 'run', parts, ...given }))
      return this.#submit(command, options, id)
    })
  }

  send(input: InputContent, options: SendOptions = {}): Promise<Receipt> {
    const { mode = 'steer', supersede, commandId = this.#runtime.ids('in') } = options
    // What is said in place of an answer is what the model reads next.
    const lane = { mode: supersede ? 'steer' : mode, ...(supersede && { supersede }) } as const
    const command = this.#stored(input).then((parts): Fields => ({ type: 'input', parts, ...lane }))
    return this.#submit(command, options, commandId)
  }

  follow(runId: string): Run {
    return followRun(this.#handle(runId))
  }

  abort(runId?: string, options: CommandOptions = {}): Promise<Receipt> {
    return this.#submit({ type: 'abort', ...(runId !== undefined && { runId }) }, options)
  }

  continue(options: LocalRunOptions = {}): Run {
    const id = options.commandId ?? this.#runtime.ids('cmd')
    return startRun(this.#handle(runIdOf(id), options.signal), () => {
      const command = this.#given(id, options).then((given): Fields => ({ type: 'continue', ...given }))
      return this.#submit(command, options, id)
    })
  }

  update(patch: SessionPatch, options: CommandOptions = {}): Promise<Receipt> {
    return this.#submit({ type: 'update', row: normalise(patch) as SessionPatch }, options)
  }

  resolve(requestId: string, answer: Answer, options: CommandOptions = {}): Promise<Receipt> {
    const resolution = typeof answer === 'string' ? { decision: answer } : (normalise(answer) as Resolution)
    return this.#submit({ type: 'resolve', requestId, resolution }, options)
  }

  changeInput(inputId: string, change: InputChange, options: CommandOptions = {}): Promise<Receipt> {
    const stored = (input: InputContent) => this.#stored(input)
    const command = import('./rare.ts').then(({ inputChange }) => inputChange(inputId, change, stored))
    return this.#submit(command, options)
  }

  async settled(inputId: string): Promise<SettledInput> {
    await this.#hub.ready
    const { settledInput } = await import('./rare.ts')
    return settledInput(this.#hub.feed, this.#runtime.store, inputId)
  }

  rewind(toMessageId?: string, options: CommandOptions = {}): Promise<Receipt> {
    return this.#submit({ type: 'rewind', ...(toMessageId !== undefined && { toMessageId }) }, options)
  }

  async fork(options: ForkOptions = {}): Promise<Session> {
    await this.#hub.ready
    const { fork } = await import('./rare.ts')
    return fork(this.#hub.feed, this.#runtime, options, this.#open)
  }

  async close(): Promise<void> {
    for (const release of [...this.#held]) release()
  }

  /** Hands a command in: its place in the order is that of this call. */
  #submit(
    coming: Fields | Promise<Fields>,
    { by, commandId }: CommandOptions,
    id = commandId ?? this.#runtime.ids('cmd'),
  ): Promise<Receipt> {
    const common = { id, at: this.#runtime.clock.now(), ...(by !== undefined && { by }) }
    const command = Promise.resolve(coming).then((fields): Command => ({ ...fields, ...common }))
    return this.#hub.submit(command, commandId !== undefined)
  }

  /** What a run is to be like, where that is said at all. */
  async #given(id: string, options: LocalRunOptions): Promise<{ options?: RunSettings }> {
    const { by: _by, commandId: _id, signal: _signal, ...asked } = options
    if (Object.keys(asked).length === 0) return {}
    const { runSettings, runtimeFor } = await import('./rare.ts')
    const runtime = runtimeFor(this.#runtime, asked)
    const settings = await runSettings(asked, runtime)
    if (runtime !== this.#runtime) this.#hub.lend(runIdOf(id), runtime)
    return Object.keys(settings).length > 0 ? { options: settings } : {}
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
