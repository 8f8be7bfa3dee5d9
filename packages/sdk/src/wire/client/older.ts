import type { SessionState } from '../../protocol/state.ts'
import type { Feed } from './feed.ts'
import type { Http } from './http.ts'

/** Reads at most `limit` messages before those of the history. */
export async function loadBefore(http: Http, feed: Feed, limit: number): Promise<void> {
  await feed.load()
  const first = feed.state.history[0]?.id
  if (first === undefined || !feed.hasBefore) return
  const query = `before=${encodeURIComponent(first)}&limit=${limit}`
  const page = (await http.ask('GET', `${feed.path}/messages?${query}`)) as {
    messages: SessionState['history']
    before?: string
  }
  // Unless somebody was faster, or it begins elsewhere by now.
  if (feed.state.history[0]?.id === first) feed.prepend(page.messages, page.before !== undefined)
}
