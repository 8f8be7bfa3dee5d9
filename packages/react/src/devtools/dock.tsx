'use client'
import type { ViewedSession } from '@stepwell/sdk/view'
import { type KeyboardEvent, type ReactNode, useState, useSyncExternalStore } from 'react'
import { EventList } from './event-list.tsx'
import { EventLog } from './event-log.ts'
import { EventPanel } from './event-panel.tsx'
import { ModelPanel } from './model-panel.tsx'
import { StatePanel } from './state-panel.tsx'
import { Timeline } from './timeline.tsx'
import { UsagePanel } from './usage-panel.tsx'

const TABS = { event: 'Event', state: 'State', model: 'Model', usage: 'Usage' } as const

type Tab = keyof typeof TABS

interface DockProps {
  readonly session: ViewedSession
  onClose(): void
}

/** All of it shows one place in the log: the one that was chosen, or else its end. */
export function Dock({ session, onClose }: DockProps): ReactNode {
  const [log] = useState(() => new EventLog(session))
  const { events, error } = useSyncExternalStore(log.subscribe, log.getSnapshot, log.getSnapshot)
  const [chosen, setChosen] = useState<number>()
  const [tab, setTab] = useState<Tab>('event')
  const index = Math.min(chosen ?? events.length - 1, events.length - 1)
  const place = { log, events, index, onChoose: setChosen }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onClose()
  }
  return (
    <section className="swd-dock" aria-label={`Log of session ${session.id}`} onKeyDown={onKeyDown}>
      <header className="swd-head">
        <h2>
          Session <code>{session.id}</code>
        </h2>
        <Timeline events={events} index={index} isLive={chosen === undefined} onChoose={setChosen} />
        <button type="button" ref={focusOnce} onClick={onClose}>
          Close
        </button>
      </header>
      {error && (
        <p className="swd-error" role="alert">
          The log could not be read any further: {error.message}
        </p>
      )}
      <div className="swd-columns">
        <EventList events={events} index={index} isLive={chosen === undefined} onChoose={setChosen} />
        <div className="swd-detail">
          <nav className="swd-tabs" aria-label="What to look at">
            {(Object.keys(TABS) as Tab[]).map((one) => (
              <button key={one} type="button" aria-pressed={one === tab} onClick={() => setTab(one)}>
                {TABS[one]}
              </button>
            ))}
          </nav>
          <div className="swd-panel">
            {events.length === 0 && <p className="swd-hint">Nothing has happened yet.</p>}
            {events.length > 0 && tab === 'event' && <EventPanel {...place} />}
            {events.length > 0 && tab === 'state' && <StatePanel {...place} />}
            {events.length > 0 && tab === 'model' && <ModelPanel {...place} />}
            {events.length > 0 && tab === 'usage' && <UsagePanel {...place} />}
          </div>
        </div>
      </div>
    </section>
  )
}

/** Who opens it is in it. */
function focusOnce(button: HTMLButtonElement | null): void {
  button?.focus()
}
