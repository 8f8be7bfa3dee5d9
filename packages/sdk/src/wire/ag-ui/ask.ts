import type { HostedSession } from '../../agent/host.ts'
import { storedInput } from '../../agent/input-content.ts'
import type { Command, Receipt } from '../../protocol/commands.ts'
import { type ErrorInfo, InputError, WireError } from '../../protocol/errors.ts'
import type { SettledInput } from '../../protocol/session.ts'
import type { SessionState } from '../../protocol/state.ts'
import type { SessionStore } from '../../stores/store.ts'
import { inputContent } from './input.ts'
import type { News, UserSaid } from './news.ts'

export interface Asking {
  readonly session: HostedSession
  readonly store: SessionStore
  readonly by: string
  now(): number
  mint(prefix: string): string
  /** What became of an input whose owner has not answered yet. */
  settled(inputId: string): Promise<SettledInput>
}

/** What a client's run comes to. */
export interface Asked {
  /** The run that answers it. Absent: there is none, or it was refused. */
  readonly runId?: string
  readonly error?: ErrorInfo
  /** What it said that is in the session now, or about to be. */
  readonly said: readonly UserSaid[]
  /** Requests that are answered, by it or by others. */
  readonly answered: ReadonlySet<string>
  /** Whether it changed anything. Otherwise it only looks on. */
  readonly isActive: boolean
}

const RETURNED: ErrorInfo = { code: 'session.aborted', message: 'The message was handed back.', retryable: false }

/** Hands the client's news in: first its answers, then what it says. */
export async function askFor(news: News, state: SessionState, asking: Asking): Promise<Asked> {
  const answered = new Set<string>()
  const said: UserSaid[] = []
  let runId = state.run?.id
  let error: ErrorInfo | undefined
  for (const { requestId, resolution } of news.answers) {
    const receipt = await submit(asking, { type: 'resolve', requestId, resolution })
    // Somebody else was faster: that answer stands, and the run goes on with it.
    if (receipt.error?.code === 'request.invalid-answer') error ??= receipt.error
    else answered.add(requestId)
  }
  if (error !== undefined) return { error, said, answered, isActive: answered.size > 0 }
  for (const message of news.messages) {
    const taken = await say(message, asking)
    // Of several, the last one is what the client waits for.
    if (taken.runId === undefined) {
      error = taken.error
    } else {
      said.push(message)
      error = undefined
      runId = taken.runId
    }
  }
  const isActive = answered.size > 0 || said.length > 0
  return { ...(error === undefined ? runId !== undefined && { runId } : { error }), said, answered, isActive }
}

/** Has the session go on as it is: a client that has nothing new and runs all the same asks for that. */
export async function askToContinue(asking: Asking): Promise<string | undefined> {
  const { status, runId } = await submit(asking, { type: 'continue' })
  // Its last reply is complete, or somebody else was faster.
  return status === 'refused' ? asking.session.feed.state.run?.id : runId
}

type Without<C, K extends PropertyKey> = C extends unknown ? Omit<C, K> : never

export function submit(asking: Asking, fields: Without<Command, 'id' | 'at' | 'by'>, id?: string): Promise<Receipt> {
  const { session, by } = asking
  const command = { ...fields, id: id ?? asking.mint('cmd'), at: asking.now(), by } as Command
  return session.submit(command, id !== undefined)
}

interface Taken {
  readonly runId?: string
  readonly error?: ErrorInfo
}

/** Hands a message in. Gives the run it goes into, or why there is none. */
async function say({ id, content }: UserSaid, asking: Asking): Promise<Taken> {
  const { session, store, settled } = asking
  let parts: Awaited<ReturnType<typeof storedInput>>
  try {
    parts = await storedInput(inputContent(id, content), session.id, { store, ready: Promise.resolve() })
  } catch (thrown) {
    if (thrown instanceof InputError || thrown instanceof WireError) return { error: thrown.toJSON() }
    throw thrown
  }
  const { status, runId, error } = await submit(asking, { type: 'input', mode: 'steer', parts }, id)
  if (status === 'refused') return { error: error ?? RETURNED }
  if (status === 'returned') return { error: RETURNED }
  if (runId !== undefined) return { runId }
  const became = await settled(id)
  return became.status === 'absorbed' ? { runId: became.runId } : { error: RETURNED }
}
