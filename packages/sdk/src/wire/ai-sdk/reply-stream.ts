import type { HostedSession } from '../../agent/host.ts'
import type { AgentEvent, Finish } from '../../protocol/events.ts'
import type { SessionState } from '../../protocol/state.ts'
import { EventStream } from '../server/event-stream.ts'
import { dataFrames } from '../server/frame.ts'
import type { ServerSettings } from '../server/options.ts'
import { endOf } from './ending.ts'
import type { FileUrl } from './file-url.ts'
import { answerTo, isAside } from './questions.ts'
import { type Reply, replyAt } from './reply.ts'
import { ReplyWriter, type ReplyWriterOptions } from './reply-writer.ts'
import type { AIVersion, UIChunk } from './ui-chunk.ts'
import { isToolPart, type UIPart } from './ui-message.ts'

/** The reply that one response says. */
export interface Following {
  /** The message of a person that it answers. Undefined: what the session began with. */
  readonly after: string | undefined
  /** Undefined while nobody knows: the run that takes the message `after`. */
  readonly runId: string | undefined
  /** The requests this page has just answered. A state that still has one of them is older than the answer. */
  readonly answered: readonly string[]
  /** The run was asked for, and may not be in the state yet. */
  readonly isComing?: true
  readonly continues?: ReplyWriterOptions['continues']
}

export interface ReplyStreamOptions {
  readonly session: HostedSession
  readonly following: Following
  readonly settings: ServerSettings
  readonly version: AIVersion
  readonly fileUrl: FileUrl
  /** The message waits in a queue that nothing moves: it is to be taken now. */
  promote(inputId: string): void
}

const encoder = new TextEncoder()
const PING = encoder.encode(': ping\n\n')
const DONE = encoder.encode('data: [DONE]\n\n')
const CUT = 'The connection was given up. Load the chat again to see the rest.'
const RETURNED = 'The message was handed back: what it waited for was stopped.'

/** One response: says a reply as it grows, no faster than it is read, up to its end or until a person has to act. */
export class ReplyStream {
  readonly stream = new EventStream()
  readonly #options: ReplyStreamOptions
  readonly #writer: ReplyWriter
  #runId: string | undefined
  #isComing: boolean
  #finish: Finish | undefined
  #isReturned = false
  #isPromoted = false
  #isAdvancing = false
  #isOver = false
  #cancelBeat = (): void => {}

  constructor(options: ReplyStreamOptions) {
    const { session, following, version } = options
    const { continues } = following
    this.#options = options
    this.#runId = following.runId
    this.#isComing = following.isComing === true
    this.#writer = new ReplyWriter({ version, ...(continues && { continues }) })
    const unsubscribe = session.feed.subscribe(
      (state, { events }) => {
        this.#runId ??= runOf(state, following.after)
        for (const event of events) this.#hear(event)
        this.#advance()
      },
      () => this.letGo(),
    )
    this.stream.listen({
      onRoom: () => this.#advance(),
      onClose: () => {
        unsubscribe()
        this.#cancelBeat()
      },
    })
    this.#beatLater()
    if (session.feed.isClosed) this.letGo()
    else this.#advance()
  }

  /** Ends before the reply does. A page cannot come back by itself, so it is told. */
  letGo(): void {
    this.#end([{ type: 'error', errorText: CUT }])
  }

  #hear(event: AgentEvent): void {
    if (event.type === 'finish' && event.runId === this.#runId) this.#finish = event
    if (event.type === 'input-returned' && event.inputId === this.#options.following.after) this.#isReturned = true
  }

  /** Also called from within itself: a chunk that is read at once makes room. */
  #advance(): void {
    if (this.#isAdvancing) return
    this.#isAdvancing = true
    this.#step()
    this.#isAdvancing = false
  }

  /** What it says is up to date when it returns: only a new state, or room that was not there, is worth another call. */
  #step(): void {
    if (!this.stream.isOpen || !this.stream.hasRoom) return
    const { session, following, fileUrl } = this.#options
    const { state } = session.feed
    this.#runId ??= runOf(state, following.after)
    if (this.#runId === undefined) return this.#awaitInput(state)
    const reply = replyAt(state, { after: following.after, runId: this.#runId }, fileUrl)
    const isOpen = state.run?.id === this.#runId
    const questions = isOpen ? state.pending.requests.filter(isAside) : []
    this.#write([...this.#writer.write(reply), ...this.#writer.ask(questions, (id) => answerTo(state, id))])
    if (isOpen || this.#finish !== undefined) this.#isComing = false
    if (this.#isComing) return
    if (!isOpen) this.#endRun(state, reply)
    else if (this.#isWaiting(state)) this.#end([{ type: 'finish', finishReason: 'tool-calls' }])
  }

  /** Only answers move the run on, and a page posts them. */
  #isWaiting({ status, pending }: SessionState): boolean {
    const { answered } = this.#options.following
    return status === 'waiting' && !pending.requests.some(({ id }) => answered.includes(id))
  }

  #awaitInput({ run, pending }: SessionState): void {
    const { following, promote } = this.#options
    if (this.#isReturned) return this.#end([{ type: 'error', errorText: RETURNED }])
    const { queue, paused } = pending.lanes
    const input = queue.find(({ id }) => id === following.after)
    if (input === undefined || !paused || run !== undefined || this.#isPromoted) return
    this.#isPromoted = true
    promote(input.id)
  }

  #endRun({ lastFinish }: SessionState, { parts }: Reply): void {
    const finish = this.#finish ?? (lastFinish?.runId === this.#runId ? lastFinish : undefined)
    // Without it a page that sends results by itself would send these again and again.
    if (endsWithCalls(parts)) this.#write(this.#writer.emptyStep())
    this.#end(finish === undefined ? [{ type: 'finish', finishReason: 'other' }] : endOf(finish))
  }

  #end(chunks: readonly UIChunk[]): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#write([...this.#writer.finish(), ...chunks])
    this.stream.write(DONE)
    this.stream.close()
  }

  #write(chunks: readonly UIChunk[]): void {
    if (chunks.length === 0) return
    this.stream.write(dataFrames(chunks))
  }

  #beatLater(): void {
    const { host, heartbeatMs } = this.#options.settings
    this.#cancelBeat = host.runtime.clock.setTimer(
      () => {
        this.#beatLater()
        if (this.stream.hasRoom) this.stream.write(PING)
      },
      heartbeatMs,
      { background: true },
    )
  }
}

/** The run that took the message. */
function runOf({ history }: SessionState, inputId: string | undefined): string | undefined {
  if (inputId === undefined) return undefined
  return history.findLast(({ role, id }) => role === 'user' && id === inputId)?.runId
}

function endsWithCalls(parts: readonly UIPart[]): boolean {
  const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  return step.some((part) => isToolPart(part) && part.providerExecuted !== true)
}
