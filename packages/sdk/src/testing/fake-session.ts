import type { Receipt } from '../protocol/commands.ts'
import type { EventBatch, EventDraft } from '../protocol/events.ts'
import { reduce } from '../protocol/reduce.ts'
import type { Connection, RemoteSession } from '../protocol/remote-session.ts'
import type { AgentSession } from '../protocol/session.ts'
import { initialState, type SessionState } from '../protocol/state.ts'
import { sequenced } from './folded.ts'

type Listener = Parameters<AgentSession['subscribe']>[0]

export interface FakeSession extends AgentSession {
  /** What was asked of it, oldest first. */
  readonly asked: readonly { readonly command: string; readonly args: readonly unknown[] }[]
  /** How many follow it. */
  readonly followers: number
  /** Shows these as one batch. */
  emit(...drafts: EventDraft[]): void
  /** Shows a batch as it is, with the state it led to. */
  show(state: SessionState, batch: EventBatch): void
  /** Settles the oldest command that waits for its receipt. */
  answer(receipt: Omit<Receipt, 'commandId'>): void
  /** The oldest command that waits fails, and nobody knows whether it arrived. */
  fail(error: unknown): void
}

/** A session whose events and receipts the test decides. Commands wait until they are answered. */
export function fakeSession(state: SessionState = initialState('s')): FakeSession {
  const listeners = new Set<{ readonly call: Listener }>()
  const asked: { command: string; args: readonly unknown[] }[] = []
  const waiting: { commandId: string; resolve(receipt: Receipt): void; reject(error: unknown): void }[] = []

  const ask = (command: string, commandId: string | undefined, ...args: unknown[]): Promise<Receipt> => {
    asked.push({ command, args })
    return new Promise((resolve, reject) => waiting.push({ commandId: commandId ?? 'cmd', resolve, reject }))
  }
  const missing = (): never => {
    throw new Error('The fake session cannot do that.')
  }

  return {
    id: state.id,
    ready: Promise.resolve(),
    get state() {
      return state
    },
    asked,
    get followers() {
      return listeners.size
    },
    subscribe(call) {
      const entry = { call }
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },
    emit(...drafts) {
      const prev = state.seq
      const events = sequenced(drafts, prev)
      this.show(reduce(state, events), { prev, head: prev + events.length, events })
    },
    show(next, batch) {
      state = next
      for (const { call } of [...listeners]) call(state, batch)
    },
    answer(receipt) {
      const command = waiting.shift()
      command?.resolve({ commandId: command.commandId, ...receipt })
    },
    fail(error) {
      waiting.shift()?.reject(error)
    },
    send: (input, options) => ask('send', options?.commandId, input, options),
    abort: (runId, options) => ask('abort', options?.commandId, runId),
    resolve: (requestId, answer, options) => ask('resolve', options?.commandId, requestId, answer),
    changeInput: (inputId, change, options) => ask('changeInput', options?.commandId, inputId, change),
    rewind: (toMessageId, options) => ask('rewind', options?.commandId, toMessageId),
    update: (patch, options) => ask('update', options?.commandId, patch),
    events: missing,
    run: missing,
    follow: missing,
    continue: missing,
    settled: missing,
    fork: missing,
    close: () => Promise.resolve(),
  }
}

export interface FakeRemote extends RemoteSession, FakeSession {
  connect(connection: Connection): void
}

/** The same, as a session behind a server that holds `older` messages before those of its state. */
export function fakeRemote(state: SessionState, older: SessionState['history'] = []): FakeRemote {
  const session = fakeSession(state)
  const listeners = new Set<() => void>()
  let connection: Connection = { status: 'connecting', attempt: 1 }
  let rest = older
  const remote = {
    get connection() {
      return connection
    },
    connect(next: Connection) {
      connection = next
      for (const listener of [...listeners]) listener()
    },
    subscribeConnection(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    get hasBefore() {
      return rest.length > 0
    },
    async loadBefore(limit: number) {
      await undefined
      const { seq } = session.state
      const history = [...rest.slice(-limit), ...session.state.history]
      rest = rest.slice(0, -limit)
      session.show({ ...session.state, history }, { prev: seq, head: seq, events: [] })
    },
  }
  return Object.defineProperties(session, Object.getOwnPropertyDescriptors(remote)) as FakeRemote
}
