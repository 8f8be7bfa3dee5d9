import type { SessionState } from '../../protocol/state.ts'
import type { Feed } from './feed.ts'
import type { Http } from './http.ts'

/** What a server gives of a history at once. */
const MAX_PAGE = 200

/** Reads at most `limit` messages before those of the history. */
export async function loadBefore(http: Http, feed: Feed, limit: number): Promise<void> {
  await feed.load()
  for (let left = limit; left > 0 && feed.hasBefore; left -= MAX_PAGE) {
    const first = feed.state.history[0]?.id
    if (first === undefined) return
    const query = `before=${encodeURIComponent(first)}&limit=${Math.min(left, MAX_PAGE)}`
    const page = (await http.ask('GET', `${feed.path}/messages?${query}`)) as {
      messages: SessionState['history']
      before?: string
    }
    // Somebody was faster, or it begins elsewhere by now.
    if (feed.state.history[0]?.id !== first) return
    feed.prepend(page.messages, page.before !== undefined)
  }
}
