import type { Message } from '../protocol/messages.ts'

/** Where the messages and calls of a history are. Grows with it, and begins anew where it was cut or prepended to. */
export class HistoryIndex {
  #history: readonly Message[] = []
  #count = 0
  #last: string | undefined
  readonly #messages = new Map<string, number>()
  readonly #calls = new Map<string, string>()

  message(history: readonly Message[], id: string): Message | undefined {
    this.#follow(history)
    const message = history[this.#messages.get(id) ?? -1]
    return message?.id === id ? message : undefined
  }

  /** The message that made the call. */
  messageOfCall(history: readonly Message[], callId: string): Message | undefined {
    this.#follow(history)
    return this.message(history, this.#calls.get(callId) ?? '')
  }

  #follow(history: readonly Message[]): void {
    if (history === this.#history) return
    this.#history = history
    if (this.#count > 0 && history[this.#count - 1]?.id !== this.#last) {
      this.#messages.clear()
      this.#calls.clear()
      this.#count = 0
    }
    for (; this.#count < history.length; this.#count++) {
      const message = history[this.#count] as Message
      this.#messages.set(message.id, this.#count)
      if (message.role !== 'assistant') continue
      for (const part of message.parts) if (part.type === 'tool-call') this.#calls.set(part.callId, message.id)
    }
    this.#last = history.at(-1)?.id
  }
}
