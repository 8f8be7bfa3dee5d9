import type { ErrorInfo } from '../protocol/errors.ts'
import type { Message } from '../protocol/messages.ts'
import type { OutboxEntry } from './outbox.ts'

/** `streaming`: the reply that is being written. The first three are those of the outbox. */
export type MessageStatus = OutboxEntry['status'] | 'streaming' | 'committed'

/** A message of the list. Its id is the same from the outbox to the history. */
export interface MessageItem {
  readonly id: string
  readonly status: MessageStatus
  readonly message: Message
  /** Why it could not be sent. */
  readonly error?: ErrorInfo | undefined
}

const items = new WeakMap<Message, MessageItem>()

/** The item of a message that the session has: the same one as long as the message is. */
export function itemOf(message: Message, status: 'streaming' | 'committed'): MessageItem {
  const known = items.get(message)
  if (known?.status === status) return known
  const item = { id: message.id, status, message }
  items.set(message, item)
  return item
}
