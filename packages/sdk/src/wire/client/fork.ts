import type { ForkOptions } from '../../protocol/session.ts'
import type { SessionRow } from '../../stores/store.ts'
import type { Feed } from './feed.ts'
import type { Http } from './http.ts'

/** A new session with the same past. Gives its id. */
export async function forked(http: Http, feed: Feed, options: ForkOptions = {}): Promise<string> {
  await feed.load()
  const { id = http.environment.ids('ses'), ...rest } = options
  const answer = (await http.ask('POST', `${feed.path}/fork`, { ...rest, id })) as { session: SessionRow }
  return answer.session.id
}
