import type { AssistantMessage, Message, ToolCallPart } from '../../protocol/messages.ts'
import type { SessionState } from '../../protocol/state.ts'
import { messageText } from '../../protocol/text.ts'
import type { ClientResult, ClientTranscript } from './client-transcript.ts'
import type { AGUIEvent, AGUIMessage } from './events.ts'
import { OpenEntities } from './open-entities.ts'
import { argumentsOf, resultId, resultOf, sameArguments } from './tool-calls.ts'
import { knownIds, reasoningId, transcriptOf } from './transcript.ts'

/** What the client has of a reply that is not complete yet. */
interface Shown {
  text: string
  /** Its message is in the history, and the client has all of it but results. */
  isWhole: boolean
  /** By part. */
  readonly reasoning: Map<number, string>
  readonly calls: Map<string, { arguments: string; isWhole: boolean; isAnswered: boolean }>
}

function nothingShown(): Shown {
  return { text: '', isWhole: false, reasoning: new Map(), calls: new Map() }
}

/**
 * Brings one client from what it has to what the session has. It compares states and looks at no events, so it may be
 * called as seldom as the network wants: what came in between is one longer delta. Where a client has what the session
 * took back, for instance the text of an attempt that failed, all messages are stated anew.
 */
export class Emitter {
  readonly #client: ClientTranscript
  readonly #open: OpenEntities
  /** What was not given yet. */
  #events: AGUIEvent[] = []
  /** Messages at the beginning of the history in which nothing changes any more, and the last of them. */
  #done = 0
  #lastDone: string | undefined
  /** Replies after those. */
  readonly #shown = new Map<string, Shown>()
  readonly #users = new Set<string>()
  /** Results the client has given itself, by call. */
  readonly #results: Map<string, ClientResult>
  /** Reasoning the client was ever shown. */
  readonly #reasoning: Set<string>

  constructor(client: ClientTranscript) {
    this.#client = client
    this.#open = new OpenEntities((event) => this.#write(event))
    this.#results = new Map(client.results)
    this.#reasoning = new Set(client.reasoning)
  }

  /**
   * Begins with what the client has: the messages of this state, if it is current, and what it said itself since then.
   * One that is not current is told all of it.
   */
  begin(state: SessionState, said: readonly AGUIMessage[], isCurrent: boolean): AGUIEvent[] {
    if (isCurrent) this.#know(state)
    else this.#restate(state, said)
    for (const { id } of said) this.#users.add(id)
    return this.#take()
  }

  /** What is new in the state. */
  show(state: SessionState): AGUIEvent[] {
    if (!this.#showAll(state)) this.#restate(state)
    return this.#take()
  }

  /** Ends what is open. */
  close(): AGUIEvent[] {
    this.#open.closeAll()
    return this.#take()
  }

  #write(event: AGUIEvent): void {
    this.#events.push(event)
  }

  #take(): AGUIEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** False where the client has something that is not, or no longer, in the session. */
  #showAll({ history, pending }: SessionState): boolean {
    if (history[this.#done - 1]?.id !== this.#lastDone) return false
    const writing = pending.message
    const rest = history.slice(this.#done)
    const there = new Set([...rest.map(({ id }) => id), writing?.id])
    for (const [id, shown] of this.#shown) if (!there.has(id) && !isNothing(shown)) return false
    for (const message of rest) if (!this.#showMessage(message, true)) return false
    this.#settle(history)
    return writing === undefined || this.#showMessage(writing, false)
  }

  /** Moves past the messages that can change no more. */
  #settle(history: readonly Message[]): void {
    for (let next = history[this.#done]; next !== undefined && isSettled(next); next = history[this.#done]) {
      this.#shown.delete(next.id)
      this.#lastDone = next.id
      this.#done++
    }
  }

  #showMessage(message: Message, isWhole: boolean): boolean {
    if (message.role === 'user') {
      if (!this.#users.has(message.id)) this.#showUser(message.id, messageText(message))
      return true
    }
    return message.role === 'note' || this.#showReply(message, isWhole)
  }

  #showUser(messageId: string, text: string): void {
    this.#users.add(messageId)
    this.#open.text(messageId, 'user')
    if (text !== '') this.#write({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: text })
    this.#open.close('text', messageId)
  }

  #showReply(message: AssistantMessage, isWhole: boolean): boolean {
    const shown = this.#shown.get(message.id) ?? nothingShown()
    this.#shown.set(message.id, shown)
    if (!shown.isWhole) {
      if (!this.#showParts(message, isWhole, shown)) return false
      if (!isWhole) return true
      this.#open.closeAll()
      shown.isWhole = true
    }
    return this.#showResults(message, shown)
  }

  #showParts(message: AssistantMessage, isWhole: boolean, shown: Shown): boolean {
    for (const [index, part] of message.parts.entries()) {
      let isRight = true
      if (part.type === 'reasoning') {
        isRight = this.#showReasoning(message, index, part.text, shown)
        if (isWhole || index < message.parts.length - 1) this.#open.close('reasoning', reasoningId(message, index))
      } else if (part.type === 'text') {
        isRight = this.#showText(message, shown)
      } else if (part.type === 'tool-call') {
        isRight = this.#showCall(message, part, isWhole, shown)
      }
      if (!isRight) return false
    }
    return hasAll(message, shown)
  }

  #showText(message: AssistantMessage, shown: Shown): boolean {
    const text = messageText(message)
    const delta = added(shown.text, text)
    if (delta === undefined) return false
    if (delta === '') return true
    this.#open.text(message.id, 'assistant')
    this.#write({ type: 'TEXT_MESSAGE_CONTENT', messageId: message.id, delta })
    shown.text = text
    return true
  }

  #showReasoning(message: AssistantMessage, part: number, text: string, shown: Shown): boolean {
    const delta = added(shown.reasoning.get(part) ?? '', text)
    if (delta === undefined) return false
    if (delta === '') return true
    const messageId = reasoningId(message, part)
    this.#reasoning.add(messageId)
    this.#open.reasoning(messageId)
    this.#write({ type: 'REASONING_MESSAGE_CONTENT', messageId, delta })
    shown.reasoning.set(part, text)
    return true
  }

  #showCall(message: AssistantMessage, part: ToolCallPart, isWhole: boolean, { calls }: Shown): boolean {
    const { callId, toolName } = part
    if (toolName === '' && !isWhole) return true
    const call = calls.get(callId) ?? { arguments: '', isWhole: false, isAnswered: false }
    if (call.isWhole) return true
    const wanted = argumentsOf(part)
    call.isWhole = isWhole || part.input !== undefined
    const delta = added(call.arguments, wanted)
    if (delta === undefined && !(call.isWhole && sameArguments(call.arguments, wanted))) return false
    if (delta || !calls.has(callId)) this.#open.call(callId, toolName, message.id)
    calls.set(callId, call)
    if (delta) this.#write({ type: 'TOOL_CALL_ARGS', toolCallId: callId, delta })
    call.arguments = wanted
    if (call.isWhole) this.#open.close('call', callId)
    return true
  }

  #showResults(message: AssistantMessage, { calls }: Shown): boolean {
    for (const part of message.parts) {
      if (part.type !== 'tool-call') continue
      const content = resultOf(part)
      const call = calls.get(part.callId)
      if (content === undefined || call === undefined || call.isAnswered) continue
      call.isAnswered = true
      const own = this.#results.get(part.callId)
      if (own?.content === content) continue
      // It has an answer of its own, and another one counts.
      if (own !== undefined) return false
      this.#write({ type: 'TOOL_CALL_RESULT', messageId: resultId(part), toolCallId: part.callId, content })
    }
    return true
  }

  #restate(state: SessionState, said: readonly AGUIMessage[] = []): void {
    this.#open.closeAll()
    const messages = transcriptOf(state, this.#client)
    const [reasoning] = this.#reasoning
    // Clients keep all reasoning they have unless they are told some: an empty one makes them forget the rest.
    if (reasoning !== undefined && !messages.some(({ role }) => role === 'reasoning')) {
      messages.push({ id: reasoning, role: 'reasoning', content: '' })
    }
    this.#write({ type: 'MESSAGES_SNAPSHOT', messages: [...messages, ...said] })
    this.#results.clear()
    this.#know(state)
  }

  /** The client has all of this. */
  #know(state: SessionState): void {
    const { history, pending } = state
    this.#shown.clear()
    for (const id of knownIds(state)) this.#users.add(id)
    this.#done = 0
    this.#lastDone = undefined
    this.#settle(history)
    for (const message of history.slice(this.#done)) {
      if (message.role === 'assistant') this.#shown.set(message.id, allOf(message, true))
    }
    if (pending.message !== undefined) this.#shown.set(pending.message.id, allOf(pending.message, false))
  }
}

/** What a text gained. Undefined when it is another one. */
function added(before: string, now: string): string | undefined {
  return now.startsWith(before) ? now.slice(before.length) : undefined
}

/** Whether the reply still has every part that was shown. */
function hasAll({ parts }: AssistantMessage, { text, reasoning, calls }: Shown): boolean {
  const callIds = new Set(parts.map((part) => (part.type === 'tool-call' ? part.callId : '')))
  return (
    (text === '' || parts.some((part) => part.type === 'text')) &&
    [...reasoning.keys()].every((part) => parts[part]?.type === 'reasoning') &&
    [...calls.keys()].every((callId) => callIds.has(callId))
  )
}

function isNothing({ text, reasoning, calls }: Shown): boolean {
  return text === '' && reasoning.size === 0 && calls.size === 0
}

function allOf(message: AssistantMessage, isWhole: boolean): Shown {
  const shown: Shown = { ...nothingShown(), text: messageText(message), isWhole }
  for (const [index, part] of message.parts.entries()) {
    if (part.type === 'reasoning') shown.reasoning.set(index, part.text)
    if (part.type !== 'tool-call' || part.toolName === '') continue
    shown.calls.set(part.callId, {
      arguments: argumentsOf(part),
      isWhole: isWhole || part.input !== undefined,
      isAnswered: resultOf(part) !== undefined,
    })
  }
  return shown
}

function isSettled(message: Message): boolean {
  return message.role !== 'assistant' || message.parts.every((part) => part.type !== 'tool-call' || isAnswered(part))
}

/** A call that the provider ran gets no result once its message is whole. */
function isAnswered(part: ToolCallPart): boolean {
  return part.result !== undefined || part.executed !== undefined
}
