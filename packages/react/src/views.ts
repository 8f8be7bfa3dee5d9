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

/** On a server nothing is kept: the next request may be somebody else's. */
const isBrowser = typeof window !== 'undefined'

export function viewsOf(source: SessionSource): Views {
  const known = bySource.get(source)
  if (known !== undefined) return known
  const views = makeViews(source)
  if (isBrowser) bySource.set(source, views)
  return views
}

export function viewOfSession(session: ViewedSession): SessionView {
  const known = bySession.get(session)
  if (known !== undefined) return known
  const view = createSessionView(session)
  if (isBrowser) bySession.set(session, view)
  return view
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
      if (view !== undefined && (preload === undefined || isKnown(view, preload))) return view
      const session = deferredSession({ id, open: () => source.session(id), ...(preload && { preload }) })
      return keep(id, createSessionView(session))
    },
    draft(onCreate) {
      const open = () => (source.create === undefined ? source.session() : source.create())
      const session = deferredSession({
        open: async () => {
          const made = await open()
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

/** A view that knows anything will be told the rest. One that knows nothing is better made anew from a preload. */
function isKnown(view: SessionView, preload: SessionPreload): boolean {
  return view.live.seq > 0 || preload.state.seq === 0
}
