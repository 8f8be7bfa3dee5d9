import type { Message } from './messages.ts'

/**
 * What the model is sent of a history: the last summary still in it and everything from its `keepFrom` on; notes only
 * when they are for the model. The same array comes back when nothing is left out.
 */
export function modelView(history: readonly Message[]): readonly Message[] {
  const summaryAt = history.findLastIndex((message) => message.role === 'note' && message.kind === 'summary')
  const summary = history[summaryAt]
  if (summary?.role !== 'note') return withoutAsides(history)
  const keptFrom = summary.keepFrom === undefined ? -1 : history.findIndex(({ id }) => id === summary.keepFrom)
  const kept = keptFrom === -1 ? history.slice(summaryAt + 1) : history.slice(keptFrom)
  return [summary, ...withoutAsides(kept).filter((message) => !(message.role === 'note' && message.kind === 'summary'))]
}

function withoutAsides(messages: readonly Message[]): readonly Message[] {
  const aside = (message: Message): boolean => message.role === 'note' && !message.toModel
  return messages.some(aside) ? messages.filter((message) => !aside(message)) : messages
}
