import type {
  Answer,
  EventDraft,
  InputContent,
  Lane,
  Receipt,
  Resolution,
  Run,
  SessionState,
  UserPart,
} from '@stepwell/sdk'
import type { Connection, ViewedSession } from '@stepwell/sdk/view'
import type { Step } from '../log/log-writer.ts'
import type { Player } from './player.ts'
import type { Tape } from './tape.ts'

/** What a person did to the session. */
export type ReplayCommand =
  | { readonly type: 'send'; readonly inputId: string; readonly parts: readonly UserPart[] }
  | { readonly type: 'resolve'; readonly requestId: string; readonly resolution: Resolution }
  | { readonly type: 'continue' }

export interface ReplayOptions {
  /** What happens then. Default: nothing more. */
  readonly respond?: (command: ReplayCommand) => readonly Step[]
  /** Default `live`. */
  readonly connection?: Connection
  /** What becomes of what is sent: it arrives, which is the default, waits for the network, or is lost. */
  readonly delivery?: 'arrives' | 'waits' | 'is-lost'
}

/** A session that plays a tape. What people do to it is written on, in place of what was still to come. */
export function replaySession(tape: Tape, player: Player, options: ReplayOptions = {}): ViewedSession {
  const { respond = () => [], connection = { status: 'live' }, delivery = 'arrives' } = options

  function write(drafts: readonly EventDraft[], steps: readonly Step[] = []): void {
    player.pause()
    tape.cut()
    tape.record([{ afterMs: 0, events: drafts }])
    tape.advance()
    tape.record(steps)
    if (steps.length > 0) player.play()
  }

  const done = (commandId: string): Receipt => ({ commandId, status: 'done', seq: tape.state.seq })
  const go = (): Run => {
    write([], respond({ type: 'continue' }))
    return runOf(tape.state.run?.id ?? 'run_next')
  }

  return {
    id: tape.state.id,
    ready: Promise.resolve(),
    connection,
    hasBefore: false,
    subscribeConnection: () => () => {},
    loadBefore: () => Promise.resolve(),
    get state() {
      return tape.state
    },
    subscribe: (listener) => tape.subscribe(listener),
    events: (query) => follow(tape, query?.after ?? 0, query?.signal),
    async send(input, { mode = 'steer', commandId = 'in_here' } = {}) {
      if (delivery === 'waits') return new Promise(() => {})
      if (delivery === 'is-lost') throw new Error('The server did not answer.')
      await undefined
      const parts = partsOf(input)
      if (tape.state.run !== undefined) {
        write([{ type: 'input', inputId: commandId, parts, lane: mode }])
        return { ...done(commandId), status: mode === 'steer' ? 'steered' : 'queued' }
      }
      write([], respond({ type: 'send', inputId: commandId, parts }))
      return { ...done(commandId), status: 'accepted' }
    },
    async resolve(requestId, answer, { commandId = 'answer' } = {}) {
      await undefined
      const resolution = resolutionOf(answer)
      const steps = respond({ type: 'resolve', requestId, resolution })
      write([{ type: 'request-resolved', requestId, resolution, reason: 'answered' }], steps)
      return done(commandId)
    },
    async abort(_runId, { commandId = 'stop' } = {}) {
      await undefined
      const returned = waitingIn(tape.state)
      write(endOf(tape.state))
      return { ...done(commandId), returned: returned.map(({ id, parts, lane }) => ({ inputId: id, parts, lane })) }
    },
    async changeInput(inputId, { input, lane, remove }, { commandId = 'change' } = {}) {
      await undefined
      const change: { parts?: readonly UserPart[]; lane?: Lane } = {
        ...(input !== undefined && { parts: partsOf(input) }),
        ...(lane !== undefined && { lane }),
      }
      write([
        remove ? { type: 'input-returned', inputId, reason: 'removed' } : { type: 'input-changed', inputId, ...change },
      ])
      return done(commandId)
    },
    run: go,
    continue: go,
    follow: runOf,
    settled: (inputId) => Promise.resolve({ inputId, status: 'returned' }),
    rewind: () => Promise.resolve(refused('rewind')),
    update: () => Promise.resolve(refused('update')),
    fork: () => Promise.reject(new Error('A replay has no forks.')),
    close: () => Promise.resolve(),
  }
}

function waitingIn({ pending: { lanes } }: SessionState): SessionState['pending']['lanes']['queue'] {
  return [...lanes.steer, ...lanes.queue]
}

/** What an owner writes when a run is stopped. */
function endOf(state: SessionState): EventDraft[] {
  const { run, pending, usage } = state
  if (run === undefined) return []
  const returned = waitingIn(state).map(
    ({ id }): EventDraft => ({ type: 'input-returned', inputId: id, reason: 'aborted' }),
  )
  const reply: EventDraft[] = pending.message
    ? [{ type: 'message', runId: run.id, message: { ...pending.message, partial: true } }]
    : []
  return [
    { type: 'abort', runId: run.id },
    ...returned,
    ...reply,
    { type: 'finish', runId: run.id, reason: 'aborted', usage: { run: usage.run, total: usage.total } },
  ]
}

async function* follow(tape: Tape, after: number, signal: AbortSignal | undefined) {
  let seen = after
  while (signal?.aborted !== true) {
    for (const event of tape.events.filter(({ seq }) => seq > seen)) {
      seen = event.seq
      yield event
    }
    await next(tape, signal)
  }
}

function next(tape: Tape, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      unsubscribe()
      resolve()
    }
    const unsubscribe = tape.subscribe(end)
    signal?.addEventListener('abort', end, { once: true })
  })
}

/** There is nobody behind a tape who could tell how a run ends. */
function runOf(id: string): Run {
  return {
    id,
    result: new Promise(() => {}),
    text: () => new Promise(() => {}),
    async *[Symbol.asyncIterator]() {},
  }
}

function resolutionOf(answer: Answer): Resolution {
  return typeof answer === 'string' ? { decision: answer } : answer
}

function partsOf(input: InputContent): UserPart[] {
  if (typeof input === 'string') return [{ type: 'text', text: input }]
  return input.map((part) => {
    if (!('bytes' in part)) return part
    const { bytes, ...rest } = part
    return { ...rest, url: URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: part.mediaType })) }
  })
}

function refused(command: string): Receipt {
  const error = { code: 'session.not-supported', message: `A replay cannot ${command}.`, retryable: false }
  return { commandId: command, status: 'refused', error }
}
