import type { Logger } from '../../agent/runtime.ts'
import { type Receipt, type RunSettings, runIdOf, type SessionPatch } from '../../protocol/commands.ts'
import type { UserPart } from '../../protocol/messages.ts'
import type { Connection, RemoteSession } from '../../protocol/remote-session.ts'
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
} from '../../protocol/session.ts'
import type { ToolSet } from '../../tools/tool-set.ts'
import type { CommandQueue, SentCommand } from './commands.ts'
import type { Feed } from './feed.ts'
import type { LogSource } from './log.ts'
import { readEvents } from './reader.ts'
import type { SessionResource } from './resource.ts'
import { followRun, startRun } from './run-handle.ts'
import { runSettings } from './run-settings.ts'

export interface HandleOptions {
  readonly feed: Feed
  readonly source: LogSource
  readonly commands: CommandQueue
  readonly resource: SessionResource
  readonly tools: ToolSet
  readonly logger: Logger
  /** Opens another session of the client. */
  open(id: string): RemoteSession
}

const CLOSED: Connection = { status: 'closed' }

/** A handle of a session behind a server. Any number of handles share one feed. */
export class ClientSession implements RemoteSession {
  readonly #options: HandleOptions
  /** What ends with this handle. */
  readonly #held = new Set<() => void>()
  #isClosed = false

  constructor(options: HandleOptions) {
    this.#options = options
    // Whether anybody waits for it or not, it is read.
    options.feed.load().catch(() => {})
    if (options.tools.size > 0) void this.#answerRequests()
  }

  get id() {
    return this.#options.feed.id
  }

  get ready() {
    return this.#options.feed.load()
  }

  get state() {
    return this.#options.feed.state
  }

  get connection() {
    return this.#isClosed ? CLOSED : this.#options.feed.connection
  }

  get hasBefore() {
    return this.#options.feed.hasBefore
  }

  subscribe(listener: Parameters<AgentSession['subscribe']>[0]): () => void {
    return this.#hold(this.#options.feed.subscribe(listener))
  }

  subscribeConnection(listener: () => void): () => void {
    return this.#hold(this.#options.feed.subscribeConnection(listener))
  }

  events({ after = 0, signal }: { readonly after?: number; readonly signal?: AbortSignal } = {}) {
    const { feed, source } = this.#options
    const reader = readEvents({
      feed,
      source,
      after: () => after,
      onEnd: () => this.#held.delete(release),
      ...(signal && { signal }),
    })
    const release = this.#hold(() => void reader.return?.())
    return reader
  }

  async loadBefore(limit: number): Promise<void> {
    const { feed, resource } = this.#options
    await feed.load()
    const before = feed.state.history[0]?.id
    if (before === undefined || !feed.hasBefore) return
    const page = await resource.messages(before, limit)
    feed.prepend(page.messages, before, page.before !== undefined)
  }

  run(input: InputContent, options: RunOptions = {}): Run {
    const id = options.commandId ?? this.#mint('in')
    return startRun({ ...this.#handle(runIdOf(id), options), commandId: id }, () =>
      this.#input(input, { id, mode: 'run' }, runSettings(options)),
    )
  }

  continue(options: RunOptions = {}): Run {
    const id = options.commandId ?? this.#mint('cmd')
    return startRun({ ...this.#handle(runIdOf(id), options), commandId: id, isNew: false }, () =>
      this.#submit(runSettings(options).then((given) => ({ type: 'continue', id, ...given }))),
    )
  }

  send(input: InputContent, { mode = 'steer', supersede, commandId }: SendOptions = {}): Promise<Receipt> {
    return this.#input(input, { id: commandId ?? this.#mint('in'), mode, ...(supersede && { supersede }) })
  }

  follow(runId: string): Run {
    return followRun({ ...this.#handle(runId, {}), isNew: false })
  }

  abort(runId?: string, { commandId }: CommandOptions = {}): Promise<Receipt> {
    return this.#submit({ type: 'abort', id: commandId ?? this.#mint('cmd'), ...(runId !== undefined && { runId }) })
  }

  resolve(requestId: string, answer: Answer, { commandId }: CommandOptions = {}): Promise<Receipt> {
    const resolution = typeof answer === 'string' ? { decision: answer } : answer
    return this.#submit({ type: 'resolve', id: commandId ?? this.#mint('cmd'), requestId, resolution })
  }

  changeInput(inputId: string, change: InputChange, { commandId }: CommandOptions = {}): Promise<Receipt> {
    const { input, lane, remove } = change
    const command = {
      type: 'input-change',
      id: commandId ?? this.#mint('cmd'),
      inputId,
      ...(lane !== undefined && { lane }),
      ...(remove && { remove }),
    } as const
    return this.#submit(input === undefined ? command : this.#stored(input).then((parts) => ({ ...command, parts })))
  }

  async settled(inputId: string): Promise<SettledInput> {
    const { feed, source } = this.#options
    const { settledInput } = await import('./settled.ts')
    return settledInput(feed, source, inputId)
  }

  rewind(toMessageId?: string, { commandId }: CommandOptions = {}): Promise<Receipt> {
    const to = toMessageId === undefined ? {} : { toMessageId }
    return this.#submit({ type: 'rewind', id: commandId ?? this.#mint('cmd'), ...to })
  }

  update(patch: SessionPatch, { commandId }: CommandOptions = {}): Promise<Receipt> {
    return this.#submit({ type: 'update', id: commandId ?? this.#mint('cmd'), row: patch })
  }

  async fork(options: ForkOptions = {}): Promise<RemoteSession> {
    const { feed, resource, open } = this.#options
    await feed.load()
    const { id } = await resource.fork({ ...options, id: options.id ?? this.#mint('ses') })
    const fork = open(id)
    await fork.ready
    return fork
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const release of [...this.#held]) release()
  }

  /** Loaded only by those who have tools. */
  async #answerRequests(): Promise<void> {
    const { feed, source, resource, tools, logger } = this.#options
    const { answerRequests } = await import('./client-tools.ts')
    if (this.#isClosed) return
    const { environment } = source
    const end = answerRequests({
      feed,
      tools,
      environment,
      logger,
      blobs: resource,
      resolve: (requestId, resolution, commandId) => this.resolve(requestId, resolution, { commandId }),
    })
    this.#hold(end)
  }

  #mint(prefix: string): string {
    return this.#options.source.environment.ids(prefix)
  }

  #hold(release: () => void): () => void {
    const held = (): void => {
      this.#held.delete(held)
      release()
    }
    this.#held.add(held)
    return held
  }

  #input(
    input: InputContent,
    command: { readonly id: string; readonly mode: 'run' | 'steer' | 'queue'; readonly supersede?: true },
    given: Promise<{ options?: RunSettings }> | undefined = undefined,
  ): Promise<Receipt> {
    const taken = Promise.all([this.#stored(input), given])
    return this.#submit(
      taken.then(([parts, options]): SentCommand => ({ type: 'input', ...command, parts, ...options })),
    )
  }

  #submit(command: SentCommand | Promise<SentCommand>): Promise<Receipt> {
    return this.#options.commands.submit(command)
  }

  /** The input as it is sent: bytes are uploaded first. Whether it is one is the server's to say. */
  async #stored(input: InputContent): Promise<UserPart[]> {
    if (typeof input === 'string') return [{ type: 'text', text: input }]
    const { feed, resource } = this.#options
    await feed.load()
    return Promise.all(
      input.map(async (part): Promise<UserPart> => {
        if (!('bytes' in part)) return part
        const { bytes, ...rest } = part
        return { ...rest, blob: await resource.put(bytes, part.mediaType) }
      }),
    )
  }

  #handle(runId: string, { signal, commandId }: RunOptions) {
    const { feed, source } = this.#options
    return {
      feed,
      source,
      runId,
      // An id of the caller's may have been used before.
      isNew: commandId === undefined,
      ...(signal && { signal }),
      stop: (open: string) => void this.abort(open).catch(() => {}),
    }
  }
}
