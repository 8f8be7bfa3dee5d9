import { InputError } from '../protocol/errors.ts'
import type { HistoryEvent } from '../protocol/events.ts'
import { normalise } from '../protocol/json.ts'
import type { Message } from '../protocol/messages.ts'
import { makeSeq } from '../protocol/seq.ts'

const MESSAGES_AN_EVENT = 500
const ROLES: readonly unknown[] = ['user', 'assistant', 'note']

/** The events with which a session takes over messages. Throws `input.invalid` for what is no history. */
export function historyEvents(messages: readonly Message[], at: number): HistoryEvent[] {
  if (!Array.isArray(messages) || !messages.every(isMessage)) {
    throw new InputError('input.invalid', 'A history is a list of user, assistant and note messages, each with an id.')
  }
  if (new Set(messages.map(({ id }) => id)).size < messages.length) {
    throw new InputError('input.invalid', 'The messages of a history need ids of their own.')
  }
  const events: HistoryEvent[] = []
  for (let i = 0; i < messages.length; i += MESSAGES_AN_EVENT) {
    const taken = normalise(messages.slice(i, i + MESSAGES_AN_EVENT)) as unknown as Message[]
    events.push({ type: 'history', seq: makeSeq(0, 2 + events.length), at, messages: taken })
  }
  return events
}

function isMessage(message: Message | null | undefined): boolean {
  if (typeof message?.id !== 'string' || message.id === '' || !ROLES.includes(message.role)) return false
  return message.role === 'note' ? typeof message.text === 'string' : Array.isArray(message.parts)
}
