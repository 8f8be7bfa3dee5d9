import {
  createSessionView,
  deferredSession,
  type SessionPreload,
  type SessionView,
  type ViewedSession,
} from '@stepwell/sdk/view'
import type { SessionSource } from './session-source.ts'

/** The views of a source's sessions: one for each session, whoever asks for it. */
export interface Views {
  /** The preload is what a view that is made now begins with. */
  of(id: string, preload?: SessionPreload): SessionView
  /** Of a session that its first command will make. `onCreate` is told its id. */
  draft(onCreate: (id: string) => void): SessionView
}

/** Views nobody shows are kept for those who come back. */
const KEPT = 20

const bySource = new WeakMap<SessionSource, Views>()
const bySession = new WeakMap<ViewedSession, SessionView>()

export function viewsOf(source: SessionSource): Views {
  return kept(bySource, source, makeViews)
}

export function viewOfSession(session: ViewedSession): SessionView {
  return kept(bySession, session, createSessionView)
}

function kept<Key extends object, Value>(all: WeakMap<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  const known = all.get(key)
  if (known !== undefined) return known
  const made = make(key)
  // On a server nothing is kept: the next request may be somebody else's.
  if (typeof window !== 'undefined') all.set(key, made)
  return made
}

function makeViews(source: SessionSource): Views {
  const known = new Map<string, WeakRef<SessionView>>()
  const recent = new Set<SessionView>()

  function keep(id: string, view: SessionView): SessionView {
    known.set(id, new WeakRef(view))
    recent.delete(view)
    recent.add(view)
    const [oldest] = recent
    if (recent.size > KEPT && oldest !== undefined) recent.delete(oldest)
    return view
  }

  return {
    of(id, preload) {
      const view = known.get(id)?.deref()
      // One that knows anything will be told the rest, unless the session was deleted: who comes back to the id gets what is
      // there now. One that knows nothing is better made anew from a preload.
      const isGone = view?.getSnapshot().connection.error?.code === 'session.not-found'
      if (view !== undefined && !isGone && (view.live.seq > 0 || !preload?.state.seq)) return view
      return keep(id, createSessionView(deferredSession({ id, open: () => source.session(id), preload })))
    },
    draft(onCreate) {
      const session = deferredSession({
        open: async () => {
          const made = await (source.create?.() ?? source.session())
          keep(made.id, view)
          onCreate(made.id)
          return made
        },
      })
      const view = createSessionView(session)
      return view
    },
  }
}
