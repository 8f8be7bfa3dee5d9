import type { Ids } from '../protocol/clock.ts'
import type { Receipt } from '../protocol/commands.ts'
import { errorInfo, StepwellError } from '../protocol/errors.ts'
import type { UserMessage } from '../protocol/messages.ts'
import type {
  AgentSession,
  CommandOptions,
  InputContent,
  Answer as RequestAnswer,
  Run,
  RunOptions,
  RunResult,
  SendOptions,
} from '../protocol/session.ts'
import type { SessionState } from '../protocol/state.ts'
import { Outbox, partsOf } from './outbox.ts'
import type { Answer } from './shown.ts'

export interface ActionsOptions {
  readonly session: AgentSession
  readonly ids: Ids
  readonly now: () => number
  readonly onChange: () => void
}

/** What is done from here, and what of it is not in the session's state yet. */
export class Actions {
  readonly outbox: Outbox
  answers: Readonly<Record<string, Answer>> = {}
  /** The run that was asked to stop. */
  stopping: string | undefined
  readonly #options: ActionsOptions

  constructor(options: ActionsOptions) {
    this.#options = options
    this.outbox = new Outbox(options.onChange)
  }

  send(input: InputContent, options: Omit<SendOptions, 'commandId'> = {}): Promise<Receipt> {
    const { session, ids } = this.#options
    const message = this.#message(ids('in'), input, options.by)
    const attempt = (commandId: string) => session.send(input, { ...options, commandId })
    return this.outbox.add(message, input, options.mode ?? 'steer', attempt)
  }

  run(input: InputContent, options: Omit<RunOptions, 'commandId'> = {}): Run {
    const { session, ids } = this.#options
    const message = this.#message(ids('in'), input, options.by)
    const start = (commandId: string): Run => session.run(input, { ...options, commandId })
    const run = start(message.id)
    let first: Run | undefined = run
    const attempt = async (commandId: string): Promise<Receipt> => {
      const started = first ?? start(commandId)
      first = undefined
      return receiptOf(await started.result, commandId)
    }
    void this.outbox.add(message, input, 'run', attempt)
    return run
  }

  retry(id: string): Promise<Receipt> {
    const again = this.outbox.retry(id, () => this.#options.ids('in'))
    if (again !== undefined) return again
    const error = { code: 'input.unknown', message: `No input ${id} has failed.`, retryable: false }
    return Promise.resolve({ commandId: id, status: 'refused', error })
  }

  async stop(): Promise<Receipt> {
    const { session, onChange } = this.#options
    const runId = session.state.run?.id
    this.stopping = runId
    onChange()
    const receipt = await receiptOrRefusal(() => session.abort(runId))
    if (receipt.status === 'refused' && this.stopping === runId) {
      this.stopping = undefined
      onChange()
    }
    return receipt
  }

  async resolve(requestId: string, answer: RequestAnswer, options?: CommandOptions): Promise<Receipt> {
    const { session } = this.#options
    this.#answer(requestId, { status: 'answering' })
    const receipt = await receiptOrRefusal(() => session.resolve(requestId, answer, options))
    if (receipt.status === 'refused' && requestId in this.answers) {
      this.#answer(requestId, { status: 'open', ...(receipt.error && { error: receipt.error }) })
    }
    return receipt
  }

  /** Forgets answers to what is no longer asked. */
  settle({ pending }: SessionState): void {
    const open = Object.entries(this.answers).filter(([id]) => pending.requests.some((request) => request.id === id))
    if (open.length < Object.keys(this.answers).length) this.answers = Object.fromEntries(open)
  }

  #answer(requestId: string, answer: Answer): void {
    this.answers = { ...this.answers, [requestId]: answer }
    this.#options.onChange()
  }

  #message(id: string, input: InputContent, by: string | undefined): UserMessage {
    return { role: 'user', id, at: this.#options.now(), ...(by !== undefined && { by }), parts: partsOf(input) }
  }
}

/** Errors that say that a `run()` was judged, and refused. */
const REFUSALS: readonly string[] = ['session.busy', 'compliance.blocked']

/** Throws when nobody knows whether the run began. */
function receiptOf({ runId, error, recorded }: RunResult, commandId: string): Receipt {
  if (error === undefined || recorded) return { commandId, status: 'done', runId }
  if (REFUSALS.includes(error.code)) return { commandId, status: 'refused', error }
  throw new StepwellError(error.code, error.message, { retryable: error.retryable })
}

/** What was thrown, as the receipt of a command that did nothing. */
async function receiptOrRefusal(act: () => Promise<Receipt>): Promise<Receipt> {
  try {
    return await act()
  } catch (thrown) {
    return { commandId: '', status: 'refused', error: errorInfo(thrown) }
  }
}
