'use client'
import { useAuiState } from '@assistant-ui/react'
import { ConfigError, type SessionSnapshot, type SessionView } from '@stepwell/sdk/view'

/** What a session has and assistant-ui has no place for: usage, connection, deliverables, tasks, requests, retries. */
export interface StepwellExtras {
  readonly snapshot: SessionSnapshot
  readonly view: SessionView
}

const ours = new WeakSet<object>()

export function makeExtras(view: SessionView, snapshot: SessionSnapshot): StepwellExtras {
  const extras = { view, snapshot }
  ours.add(extras)
  return extras
}

/**
 * Of the thread that is shown, anywhere below its runtime: `useStepwellExtras(({ snapshot }) => snapshot.usage.total)`.
 * Renders anew when what is selected is another value. Throws in a thread of another runtime.
 */
export function useStepwellExtras<T>(select: (extras: StepwellExtras) => T): T {
  return useAuiState(({ thread: { extras } }) => {
    if (!isOurs(extras)) throw new ConfigError('config.invalid', 'This thread is not one of useStepwellRuntime.')
    return select(extras)
  })
}

function isOurs(extras: unknown): extras is StepwellExtras {
  return typeof extras === 'object' && extras !== null && ours.has(extras)
}
