'use client'
import type { InputContent, Lane, Receipt, Run, SessionState } from '@stepwell/sdk'
import { useMemo } from 'react'
import { type Tracked, useTracked } from './busy.ts'
import { useView } from './scope.ts'
import { useCell } from './use-cell.ts'

type Lanes = SessionState['pending']['lanes']

/** Inputs that wait, and what can be done to them. */
export interface Queue extends Lanes, Pick<Tracked, 'statusOf'> {
  edit(inputId: string, input: InputContent): Promise<Receipt>
  /** Into the open run, or behind it. */
  move(inputId: string, lane: Lane): Promise<Receipt>
  remove(inputId: string): Promise<Receipt>
  /** Takes up a queue that is `paused`. */
  resume(): Run
}

export function useQueue(): Queue {
  const { session } = useView()
  const lanes = useCell('queue', (view) => view.getSnapshot().queue)
  const { statusOf, track } = useTracked()
  const actions = useMemo(
    () => ({
      edit: (id: string, input: InputContent) => track(id, () => session.changeInput(id, { input })),
      move: (id: string, lane: Lane) => track(id, () => session.changeInput(id, { lane })),
      remove: (id: string) => track(id, () => session.changeInput(id, { remove: true })),
      resume: () => session.continue(),
    }),
    [session, track],
  )
  return { ...lanes, ...actions, statusOf }
}
