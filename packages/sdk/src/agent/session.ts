import type { Command, InputCommand, Receipt, RunSettings, SessionPatch } from '../protocol/commands.ts'
import { runIdOf } from '../protocol/commands.ts'
import { InputError } from '../protocol/errors.ts'
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
import { type LocalRunOptions, runSettings, runtimeFor, type Session } from './run-settings.ts'
import type { AgentRuntime } from './runtime.ts'

type Without<C, K extends PropertyKey> = C extends unknown ? Omit<C, K> : never

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
    return startRun(this.#handle(runIdOf(id), options.signal), async () => {
      const { by } = options
      const runtime = runtimeFor(this.#runtime, options)
      const more = { settings: runSettings(options, runtime ?? this.#runtime), runtime }
      const command = { id, mode: 'run', ...(by !== undefined && { by }) } as const
      return this.#input(input, command, options.commandId !== undefined, more)
    })
  }

  send(input: InputContent, { mode = 'steer', supersede, by, commandId }: SendOptions = {}): Promise<Receipt> {
    const id = commandId ?? this.#runtime.ids('in')
    // What is said in place of an answer is what the model reads next.
    const lane = supersede ? 'steer' : mode
    const more = { ...(supersede && { supersede }), ...(by !== undefined && { by }) }
    return this.#input(input, { id, mode: lane, ...more }, commandId !== undefined)
  }

  follow(runId: string): Run {
    return followRun(this.#handle(runId))
  }

  abort(runId?: string, { by, commandId }: CommandOptions = {}): Promise<Receipt> {
    return this.#command({ type: 'abort', ...(runId !== undefined && { runId }) }, { by, commandId })
  }

  continue(options: LocalRunOptions = {}): Run {
    const id = options.commandId ?? this.#runtime.ids('cmd')
    return startRun(this.#handle(runIdOf(id), options.signal), async () => {
      const { by } = options
      const at = this.#runtime.clock.now()
      const runtime = runtimeFor(this.#runtime, options)
      const command = { type: 'continue', id, at, ...(by !== undefined && { by }) } as const
      const taken = Promise.resolve(runSettings(options, runtime ?? this.#runtime)).then(
        (settings): Command => ({ ...command, ...given(settings) }),
      )
      return this.#hub.submit(taken, options.commandId !== undefined, runtime && { id, runtime })
    })
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
    if (input === undefined && lane === undefined && !remove) {
      throw new InputError('input.invalid', 'changeInput takes { input }, { lane } or { remove: true }.')
    }
    const command = {
      type: 'input-change',
      id: commandId ?? this.#runtime.ids('cmd'),
      at: this.#runtime.clock.now(),
      inputId,
      ...(lane !== undefined && { lane }),
      ...(remove && { remove }),
      ...(by !== undefined && { by }),
    } as const
    const taken = input === undefined ? command : this.#stored(input).then((parts): Command => ({ ...command, parts }))
    return this.#hub.submit(taken, commandId !== undefined)
  }

  async settled(inputId: string): Promise<SettledInput> {
    await this.#hub.ready
    const { settledInput } = await import('./rare.ts')
    return settledInput(this.#hub.feed, this.#runtime.store, inputId)
  }

  rewind(toMessageId?: string, { by, commandId }: CommandOptions = {}): Promise<Receipt> {
    return this.#command({ type: 'rewind', ...(toMessageId !== undefined && { toMessageId }) }, { by, commandId })
  }

  async fork(options: ForkOptions = {}): Promise<Session> {
    await this.#hub.ready
    const { fork } = await import('./rare.ts')
    return fork(this.#hub.feed, this.#runtime, options, this.#open)
  }

  async close(): Promise<void> {
    for (const release of [...this.#held]) release()
  }

  #input(
    input: InputContent,
    command: Omit<InputCommand, 'type' | 'at' | 'parts'>,
    repeatable: boolean,
    {
      settings = {},
      runtime,
    }: { settings?: RunSettings | Promise<RunSettings>; runtime?: AgentRuntime | undefined } = {},
  ): Promise<Receipt> {
    const at = this.#runtime.clock.now()
    const taken = Promise.all([this.#stored(input), settings]).then(
      ([parts, recorded]): Command => ({ ...command, type: 'input', at, parts, ...given(recorded) }),
    )
    return this.#hub.submit(taken, repeatable, runtime && { id: command.id, runtime })
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

function given(options: RunSettings): { options?: RunSettings } {
  return Object.keys(options).length > 0 ? { options } : {}
}
