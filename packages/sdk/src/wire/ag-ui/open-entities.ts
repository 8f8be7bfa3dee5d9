import type { AGUIEvent } from './events.ts'

/**
 * What was opened and not closed yet. Clients refuse a stream that ends with anything open, or closes what is not: only
 * this class opens and closes, so at every cut one call leaves nothing behind, the last opened closed first.
 */
export class OpenEntities {
  readonly #closers = new Map<string, () => void>()
  readonly #write: (event: AGUIEvent) => void

  constructor(write: (event: AGUIEvent) => void) {
    this.#write = write
  }

  text(messageId: string, role: 'user' | 'assistant'): void {
    this.#open(
      `text ${messageId}`,
      [{ type: 'TEXT_MESSAGE_START', messageId, role }],
      [{ type: 'TEXT_MESSAGE_END', messageId }],
    )
  }

  /** The message, and the span around it: clients know both. */
  reasoning(messageId: string): void {
    this.#open(
      `reasoning ${messageId}`,
      [
        { type: 'REASONING_START', messageId },
        { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
      ],
      [
        { type: 'REASONING_MESSAGE_END', messageId },
        { type: 'REASONING_END', messageId },
      ],
    )
  }

  call(toolCallId: string, toolCallName: string, parentMessageId: string): void {
    this.#open(
      `call ${toolCallId}`,
      [{ type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId }],
      [{ type: 'TOOL_CALL_END', toolCallId }],
    )
  }

  close(kind: 'text' | 'reasoning' | 'call', id: string): void {
    this.#close(`${kind} ${id}`)
  }

  closeAll(): void {
    for (const key of [...this.#closers.keys()].reverse()) this.#close(key)
  }

  #open(key: string, starts: readonly AGUIEvent[], ends: readonly AGUIEvent[]): void {
    if (this.#closers.has(key)) return
    this.#closers.set(key, () => ends.forEach(this.#write))
    starts.forEach(this.#write)
  }

  #close(key: string): void {
    const close = this.#closers.get(key)
    this.#closers.delete(key)
    close?.()
  }
}
