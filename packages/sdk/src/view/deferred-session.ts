import type { Ids } from '../protocol/clock.ts'
import { type Receipt, runIdOf, type SessionPatch } from '../protocol/commands.ts'
import { errorInfo } from '../protocol/errors.ts'
import type { AgentEvent } from '../protocol/events.ts'
import type { Connection } from '../protocol/remote-session.ts'
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
import { initialState, type SessionState } from '../protocol/state.ts'
import { deferredRun } from './deferred-run.ts'
import type { SessionPreload } from './preload.ts'
import { systemIds } from './system.ts'
import type { ViewedSession } from './viewed-session.ts'

export interface DeferredSessionOptions {
  /** Absent for a session that is still to be made: its id is empty until then. */
  readonly id?: string
  /** Called once. After a failure again, when something needs the session once more. */
  open(): ViewedSession | Promise<ViewedSession>
  /** Shown until the session is there. */
  readonly preload?: SessionPreload
  readonly ids?: Ids
}

type Listener = Parameters<AgentSession['subscribe']>[0]

/** Of a listener: how it is attached to the opened session, and no longer. */
interface Attached {
  attach(session: ViewedSession): (() => void) | undefined
  detach: (() => void) | undefined
}

const CONNECTING: Connection = { status: 'connecting' }
const LIVE: Connection = { status: 'live' }

/**
 * A session that is opened when somebody subscribes to it, or by its first command. One without an id is made by its first
 * command alone.
 */
export function deferredSession(options: DeferredSessionOptions): ViewedSession {
  return new DeferredSession(options)
}

class DeferredSession implements ViewedSession {
  readonly #options: DeferredSessionOptions
  readonly #first: SessionState
  readonly #attached = new Set<Attached>()
  readonly #onConnection = new Set<() => void>()
  readonly #whenOpened: Promise<ViewedSession>
  #tellOpened: (session: ViewedSession) => void = () => {}
  #opening: Promise<ViewedSession> | undefined
  #opened: ViewedSession | undefined
  #isReady = false
  #failed: Connection | undefined

  constructor(options: DeferredSessionOptions) {
    const { id = '', preload } = options
    this.#options = options
    this.#first = preload?.state ?? initialState(id)
    this.#isReady = preload === undefined
    this.#whenOpened = new Promise((resolve) => {
      this.#tellOpened = resolve
    })
  }

  get id(): string {
    return this.#opened?.id ?? this.#options.id ?? ''
  }

  get ready(): Promise<void> {
    const opened = this.#isDraft ? this.#whenOpened : this.#open()
    return opened
      .then((session) => session.ready)
      .then(() => {
        this.#isReady = true
      })
  }

  get state(): SessionState {
    return this.#isReady ? (this.#opened?.state ?? this.#first) : this.#first
  }

  get connection(): Connection {
    if (this.#failed !== undefined) return this.#failed
    if (this.#opened !== undefined) return this.#opened.connection ?? LIVE
    return this.#isDraft ? LIVE : CONNECTING
  }

  get hasBefore(): boolean {
    if (!this.#isReady) return this.#options.preload?.hasBefore === true
    return this.#opened?.hasBefore === true
  }

  async loadBefore(limit: number): Promise<void> {
    const session = await this.#open()
    await session.ready
    this.#isReady = true
    await session.loadBefore?.(limit)
  }

  subscribe(listener: Listener): () => void {
    return this.#attach((session) => session.subscribe(listener))
  }

  subscribeConnection(listener: () => void): () => void {
    const own = (): void => listener()
    this.#onConnection.add(own)
    const detach = this.#attach((session) => session.subscribeConnection?.(own))
    return () => {
      this.#onConnection.delete(own)
      detach()
    }
  }

  async *events(options: { readonly after?: number; readonly signal?: AbortSignal } = {}): AsyncGenerator<AgentEvent> {
    const session = await (this.#isDraft ? this.#whenOpened : this.#open())
    yield* session.events(options)
  }

  run(input: InputContent, options: RunOptions = {}): Run {
    const commandId = options.commandId ?? this.#mint('in')
    return this.#begin(runIdOf(commandId), (session) => session.run(input, { ...options, commandId }))
  }

  continue(options: RunOptions = {}): Run {
    const commandId = options.commandId ?? this.#mint('cmd')
    return this.#begin(runIdOf(commandId), (session) => session.continue({ ...options, commandId }))
  }

  follow(runId: string): Run {
    return this.#begin(runId, (session) => session.follow(runId))
  }

  async send(input: InputContent, options?: SendOptions): Promise<Receipt> {
    return (await this.#open()).send(input, options)
  }

  async abort(runId?: string, options?: CommandOptions): Promise<Receipt> {
    return (await this.#open()).abort(runId, options)
  }

  async resolve(requestId: string, answer: Answer, options?: CommandOptions): Promise<Receipt> {
    return (await this.#open()).resolve(requestId, answer, options)
  }

  async changeInput(inputId: string, change: InputChange, options?: CommandOptions): Promise<Receipt> {
    return (await this.#open()).changeInput(inputId, change, options)
  }

  async settled(inputId: string): Promise<SettledInput> {
    return (await this.#open()).settled(inputId)
  }

  async rewind(toMessageId?: string, options?: CommandOptions): Promise<Receipt> {
    return (await this.#open()).rewind(toMessageId, options)
  }

  async fork(options?: ForkOptions): Promise<AgentSession> {
    return (await this.#open()).fork(options)
  }

  async update(patch: SessionPatch, options?: CommandOptions): Promise<Receipt> {
    return (await this.#open()).update(patch, options)
  }

  async close(): Promise<void> {
    await this.#opened?.close()
  }

  get #isDraft(): boolean {
    return this.#options.id === undefined && this.#opening === undefined
  }

  #mint(prefix: string): string {
    return (this.#options.ids ?? systemIds)(prefix)
  }

  #begin(runId: string, begin: (session: AgentSession) => Run): Run {
    return this.#opened === undefined ? deferredRun(runId, this.#open().then(begin)) : begin(this.#opened)
  }

  #attach(attach: Attached['attach']): () => void {
    const entry: Attached = { attach, detach: this.#opened && attach(this.#opened) }
    this.#attached.add(entry)
    // Why it failed is in `connection`.
    if (!this.#isDraft) this.#open().catch(() => {})
    return () => {
      if (this.#attached.delete(entry)) entry.detach?.()
    }
  }

  #open(): Promise<ViewedSession> {
    if (this.#opening === undefined) {
      this.#opening = this.#openNow()
      this.#opening.catch((thrown: unknown) => {
        this.#opening = undefined
        this.#connected({ status: 'failed', error: errorInfo(thrown) })
      })
      if (this.#failed !== undefined) this.#connected(undefined)
    }
    return this.#opening
  }

  async #openNow(): Promise<ViewedSession> {
    const session = await this.#options.open()
    this.#opened = session
    for (const entry of this.#attached) entry.detach = entry.attach(session)
    this.#tellOpened(session)
    this.#connected(undefined)
    return session
  }

  #connected(failed: Connection | undefined): void {
    this.#failed = failed
    for (const listener of [...this.#onConnection]) listener()
  }
}
