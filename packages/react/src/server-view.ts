import { createSessionView, deferredSession, preloadSession, type SessionView, syncSchedule } from '@stepwell/sdk/view'

const serverViews = new WeakMap<SessionView, SessionView>()

/**
 * The view as it was when it was made, cell by cell: what a server renders, and what a page hydrates from however much
 * has happened meanwhile.
 */
export function serverViewOf(view: SessionView): SessionView {
  const known = serverViews.get(view)
  if (known !== undefined) return known
  const { id, state, older, messageIds } = view.getServerSnapshot()
  const session = deferredSession({
    id,
    open: () => Promise.reject(new Error('It only shows what was.')),
    preload: { ...preloadSession(view.session), state, hasBefore: older.more },
  })
  const frozen = createSessionView(session, { schedule: syncSchedule, window: Math.max(1, messageIds.length) })
  serverViews.set(view, frozen)
  return frozen
}
