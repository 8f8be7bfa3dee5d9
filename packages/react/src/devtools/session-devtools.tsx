'use client'
import type { ViewedSession } from '@stepwell/sdk/view'
import { type ReactNode, useContext, useState } from 'react'
import { ScopeContext } from '../scope.ts'
import { Dock } from './dock.tsx'
import { STYLES } from './styles.ts'

export interface SessionDevtoolsProps {
  /** Default: the provider's. */
  readonly session?: ViewedSession
}

/**
 * A tab at the edge of the page, which opens the log of a session: its events, the state at any of them, what each
 * model call was sent, and what it cost. Reads nothing while it is closed.
 */
export function SessionDevtools({ session }: SessionDevtoolsProps): ReactNode {
  const [shownAs, setShownAs] = useState<'unopened' | 'open' | 'closed'>('unopened')
  const scope = useContext(ScopeContext)
  const shown = session ?? scope?.view().session
  if (shown === undefined) return null
  return (
    <div className="stepwell-devtools" dir="ltr" lang="en">
      <style>{STYLES}</style>
      {shownAs === 'open' ? (
        <Dock key={shown.id} session={shown} onClose={() => setShownAs('closed')} />
      ) : (
        <button
          type="button"
          className="swd-launch"
          ref={shownAs === 'closed' ? takeFocus : undefined}
          onClick={() => setShownAs('open')}
        >
          Session log
        </button>
      )}
    </div>
  )
}

/** Who closes it is back where it was opened. */
function takeFocus(button: HTMLButtonElement | null): void {
  button?.focus()
}
