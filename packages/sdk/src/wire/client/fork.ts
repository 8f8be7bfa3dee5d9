import type { RemoteSession } from '../../protocol/remote-session.ts'
import type { ForkOptions } from '../../protocol/session.ts'
import type { SessionRow } from '../../stores/store.ts'
import type { Feed } from './feed.ts'
import type { Http } from './http.ts'

/** A new session with the same past, opened. */
export async function fork(
  http: Http,
  feed: Feed,
  options: ForkOptions = {},
  open: (id: string) => RemoteSession,
): Promise<RemoteSession> {
  await feed.load()
  const { id = http.environment.ids('ses'), ...rest } = options
  const answer = (await http.ask('POST', `${feed.path}/fork`, { ...rest, id })) as { session: SessionRow }
  const session = open(answer.session.id)
  await session.ready
  return session
}
