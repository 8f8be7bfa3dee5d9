'use client'
import type { Lane } from '@stepwell/sdk'
import { useMemo, useSyncExternalStore } from 'react'
import { type ComposerCommands, composerActions } from './composer-actions.ts'
import { type ComposerProps, composerProps } from './composer-props.ts'
import { type Attachment, type DraftState, draftOf, EMPTY_DRAFT } from './draft.ts'
import { useView } from './scope.ts'
import { useCell } from './use-cell.ts'

export interface ComposerOptions {
  /** Where Enter sends to while a run is open: into it (`steer`, the default), or behind it. With Ctrl or Cmd: the other. */
  readonly whileRunning?: Lane
}

export interface Composer extends DraftState, ComposerCommands, ComposerProps {
  /** There is something to send, and all of it is read. */
  readonly canSend: boolean
  readonly canStop: boolean
}

export type { Attachment }

/** What a person writes to the session. The draft is the session's: it is there again when its composer is. */
export function useComposer({ whileRunning = 'steer' }: ComposerOptions = {}): Composer {
  const view = useView()
  const draft = draftOf(view)
  const state = useSyncExternalStore(
    draft.subscribe,
    () => draft.state,
    () => EMPTY_DRAFT,
  )
  const canStop = useCell('run', (read) => read.getSnapshot().canStop)
  const actions = useMemo(() => composerActions(view, draft, whileRunning), [view, draft, whileRunning])
  const canSend = state !== EMPTY_DRAFT && draft.isReady
  return { ...state, canSend, canStop, ...actions, ...composerProps({ ...actions, ...state, canSend, canStop }) }
}
