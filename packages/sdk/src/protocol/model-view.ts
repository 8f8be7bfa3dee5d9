import type { Message } from './messages.ts'

/**
 * What the model is sent of a history: the last summary still in it and everything from its `keepFrom` on; notes only
 * when they are for the model. The same array comes back when nothing is left out.
 */
export function modelView(history: readonly Message[]): readonly Message[] {
  const summaryAt = history.findLastIndex((message) => message.role === 'note' && message.kind === 'summary')
  const summary = history[summaryAt]
  if (summary?.role !== 'note')
    return history.some(isLeftOut) ? history.filter((message) => !isLeftOut(message)) : history
  const keptFrom = history.findIndex(({ id }) => id === summary.keepFrom)
  const kept = history.slice(keptFrom === -1 ? summaryAt + 1 : keptFrom)
  return [summary, ...kept.filter((message) => !isLeftOut(message))]
}

/** Of what is kept: other summaries, and asides. */
function isLeftOut(message: Message): boolean {
  return message.role === 'note' && (message.kind === 'summary' || !message.toModel)
}
