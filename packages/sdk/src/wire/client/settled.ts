import { runIdOf } from '../../protocol/commands.ts'
import { errorOf } from '../../protocol/errors.ts'
import type { SettledInput } from '../../protocol/session.ts'
import type { Feed } from './feed.ts'
import type { Http } from './http.ts'
import { readEvents, startOf } from './reader.ts'

/** Resolves when the input is in the history or handed back. */
export async function settledInput(http: Http, feed: Feed, inputId: string): Promise<SettledInput> {
  await feed.load()
  const { history, pending } = feed.state
  const message = history.find(({ id, role }) => id === inputId && role === 'user')
  if (message !== undefined) return { inputId, status: 'absorbed', runId: message.runId ?? '' }
  const waiting = [...pending.lanes.steer, ...pending.lanes.queue].some(({ id }) => id === inputId)
  let isKnown = waiting || feed.sent.has(runIdOf(inputId))
  const unknown = new AbortController()
  const events = readEvents({
    feed,
    http,
    after: () => (waiting ? feed.cursor : (startOf(feed, runIdOf(inputId)) ?? 0)),
    signal: unknown.signal,
    onCaughtUp: () => isKnown || unknown.abort(),
  })
  for await (const event of events) {
    if (event.type === 'input' && event.inputId === inputId) isKnown = true
    if (event.type === 'input-returned' && event.inputId === inputId) return { inputId, status: 'returned' }
    if (event.type !== 'message' || event.message.role !== 'user' || event.message.id !== inputId) continue
    return { inputId, status: 'absorbed', runId: event.message.runId ?? '' }
  }
  if (isKnown) throw errorOf('session.closed', 'The session was closed here.')
  throw errorOf('input.unknown', `The session never accepted an input ${inputId}.`)
}
