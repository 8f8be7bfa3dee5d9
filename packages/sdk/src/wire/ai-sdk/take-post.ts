import type { HostedSession } from '../../agent/host.ts'
import { screenedCommand } from '../../agent/screened-command.ts'
import type { Command, InputCommand, Receipt } from '../../protocol/commands.ts'
import { type ErrorInfo, SessionError, type StepwellError, WireError } from '../../protocol/errors.ts'
import { hasCode } from '../../protocol/has-code.ts'
import type { UserPart } from '../../protocol/messages.ts'
import { nameProblem } from '../../protocol/name-problem.ts'
import type { SessionState } from '../../protocol/state.ts'
import type { Principal } from '../server/access.ts'
import { badRequest } from '../server/errors.ts'
import type { ServerSettings } from '../server/options.ts'
import { answersTo } from './answers.ts'
import type { FileUrl } from './file-url.ts'
import { hadParts } from './had-parts.ts'
import { type Post, type PostedMessage, postedTools } from './post.ts'
import { replyAt } from './reply.ts'
import type { Following } from './reply-stream.ts'
import { ReplyWriter } from './reply-writer.ts'
import { postedParts } from './user-parts.ts'

type Draft<C = Command> = C extends Command ? Omit<C, 'id' | 'at' | 'by'> : never

export interface PostTakerOptions {
  readonly session: HostedSession
  readonly principal: Principal
  readonly settings: ServerSettings
  readonly fileUrl: FileUrl
}

/**
 * Carries out what a page wants with a post, and says which reply it is to be answered with. Of the messages it posts only
 * the last one of a person is taken, where it is new, and answers to requests that are open.
 */
export class PostTaker {
  readonly #session: HostedSession
  readonly #principal: Principal
  readonly #settings: ServerSettings

  readonly #fileUrl: FileUrl

  constructor({ session, principal, settings, fileUrl }: PostTakerOptions) {
    this.#session = session
    this.#principal = principal
    this.#settings = settings
    this.#fileUrl = fileUrl
  }

  async take(post: Post): Promise<Following> {
    const answered = await this.#takeAnswers(post)
    const last = post.messages.at(-1) as PostedMessage
    if (last.role === 'system') throw badRequest('The last message is of a person or of the assistant.')
    if (last.role === 'assistant') return this.#goOn(post, last, answered)
    const known = knownAs(this.#state, last.id)
    if (known === undefined) return this.#say(last.id, last)
    if (post.trigger === 'regenerate-message') return this.#regenerate(known)
    if (post.messageId === last.id) return this.#edit(known, last)
    // It came before: what was said to it is said again.
    return { after: known, runId: undefined, answered }
  }

  get #state(): SessionState {
    return this.#session.feed.state
  }

  async #takeAnswers({ messages }: Post): Promise<string[]> {
    const answers = answersTo(this.#state.pending.requests, postedTools(messages))
    for (const { requestId, resolution } of answers) {
      try {
        await this.#submit({ type: 'resolve', requestId, resolution })
      } catch (thrown) {
        // The first answer counts, whoever gave it.
        if (!hasCode(thrown, 'request.already-resolved')) throw thrown
      }
    }
    return answers.map(({ requestId }) => requestId)
  }

  /** The page has the beginning of the reply, and wants the rest. */
  #goOn({ trigger, messageId }: Post, last: PostedMessage, answered: readonly string[]): Following {
    const state = this.#state
    const user = state.history.findLast(({ role }) => role === 'user')
    const runId = state.run?.id ?? state.history.findLast(({ role }) => role === 'assistant')?.runId
    const isOther = messageId !== undefined && messageId !== null && messageId !== last.id
    if (trigger === 'regenerate-message' || isOther || runId === undefined) throw nothingToContinue()
    const continues = { id: last.id, parts: hadParts(last) }
    if (state.run === undefined && answered.length === 0) {
      const reply = replyAt(state, { after: user?.id, runId }, this.#fileUrl)
      const [_start, ...news] = new ReplyWriter({ version: 6, continues }).write(reply)
      // Said once: a page that sends what it has by itself would ask for ever.
      if (news.length === 0) throw nothingToContinue()
    }
    return { after: user?.id, runId, answered, continues }
  }

  async #say(id: string, message: PostedMessage): Promise<Following> {
    if (nameProblem(id) !== undefined) throw badRequest('The id of a message has 1 to 256 characters.')
    const parts = await this.#parts(message)
    const isParked = this.#state.status === 'waiting'
    // Who writes in place of an answer does not answer: the run goes on with what was written.
    const lane = isParked ? ({ mode: 'steer', supersede: true } as const) : ({ mode: 'queue' } as const)
    const receipt = await this.#submit({ type: 'input', parts, ...lane }, id)
    if (receipt.status === 'returned') {
      throw new SessionError('session.conflict', `The message ${id} was handed back. Send it as a new one.`)
    }
    return { after: id, runId: undefined, answered: [] }
  }

  async #regenerate(userId: string): Promise<Following> {
    await this.#stopRun()
    await this.#submit({ type: 'rewind', toMessageId: userId })
    const { runId } = await this.#submit({ type: 'continue' })
    return { after: userId, runId, answered: [], isComing: true }
  }

  async #edit(known: string, message: PostedMessage): Promise<Following> {
    const parts = await this.#parts(message)
    const edited = { type: 'input', parts, mode: 'run', ...this.#stamp(nextId(known)) } as const
    await this.#refuseBlocked(edited)
    await this.#stopRun()
    const { history } = this.#state
    const before = history[history.findLastIndex(({ id }) => id === known) - 1]
    await this.#submit({ type: 'rewind', ...(before && { toMessageId: before.id }) })
    await this.#hand(edited, true)
    return { after: edited.id, runId: undefined, answered: [] }
  }

  /** What may not be said takes nothing back. */
  async #refuseBlocked(command: InputCommand): Promise<void> {
    const { runtime } = this.#settings.host
    if (runtime.compliance === undefined) return
    const { refusal: verdict } = await screenedCommand(runtime, this.#state, command)
    if (verdict !== undefined) throw refusal(verdict.receipt.error)
  }

  #parts(message: PostedMessage): Promise<UserPart[]> {
    return postedParts(message, this.#session.id, this.#state, this.#settings)
  }

  /** The page throws the reply away, so nobody needs the rest of it. */
  async #stopRun(): Promise<void> {
    const { run } = this.#state
    if (run === undefined) return
    try {
      await this.#submit({ type: 'abort', runId: run.id })
    } catch (thrown) {
      if (!hasCode(thrown, 'session.run-not-open')) throw thrown
    }
    await new Promise<void>((resolve, reject) => {
      const unsubscribe = this.#session.feed.subscribe(
        (state) => state.run?.id !== run.id && done(),
        () => reject(new SessionError('session.closed', 'The session was closed here.')),
        true,
      )
      const done = (): void => {
        unsubscribe()
        resolve()
      }
      if (this.#state.run?.id !== run.id) done()
    })
  }

  #submit(draft: Draft, id?: string): Promise<Receipt> {
    return this.#hand({ ...draft, ...this.#stamp(id) } as Command, id !== undefined)
  }

  #stamp(id?: string): Pick<Command, 'id' | 'at' | 'by'> {
    const { ids, clock } = this.#settings.host.runtime
    return { id: id ?? ids('cmd'), at: clock.now(), by: this.#principal.id }
  }

  /** Rejects with what the session refuses it for. */
  async #hand(command: Command, repeatable: boolean): Promise<Receipt> {
    const receipt = await this.#session.submit(command, repeatable)
    if (receipt.status === 'refused') throw refusal(receipt.error)
    return receipt
  }
}

function refusal(error: ErrorInfo | undefined): StepwellError {
  const { code = 'internal', message = 'It was refused.', ...details } = error ?? {}
  if (code === 'request.invalid-answer') return badRequest(message)
  return new WireError(code, message, details)
}

function nothingToContinue(): SessionError {
  return new SessionError('session.nothing-to-continue', 'There is nothing to add to this message.')
}

/** A message that was edited is another one: its id with a number. */
const EDITED = /^(.+)~(\d+)$/

/** The id of the message that a page knows by this one. */
function knownAs({ history }: SessionState, id: string): string | undefined {
  return history.findLast((message) => message.role === 'user' && isFormOf(message.id, id))?.id
}

function isFormOf(known: string, id: string): boolean {
  return known === id || EDITED.exec(known)?.[1] === id
}

function nextId(id: string): string {
  const [, base = id, count = '1'] = EDITED.exec(id) ?? []
  return `${base}~${Number(count) + 1}`
}
