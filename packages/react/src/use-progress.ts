'use client'
import type { Activity, SessionState, SessionStatus, Task, ToolProgress } from '@stepwell/sdk'
import type { SessionSnapshot } from '@stepwell/sdk/view'
import { useSessionSelector } from './use-session-selector.ts'

export interface CallProgress {
  readonly callId: string
  readonly toolName: string
  readonly progress?: ToolProgress
}

/** What the session is busy with. */
export interface Progress {
  readonly status: SessionStatus
  /** Of the open run. Epoch ms. */
  readonly startedAt?: number
  readonly turn?: number
  /** Of the open run, where it has a limit. */
  readonly maxTurns?: number
  /** Waiting to try again, or making room in the context. */
  readonly activity?: Activity
  /** The tools that run now. */
  readonly calls: readonly CallProgress[]
  /** The tasks that are not over. */
  readonly tasks: readonly Task[]
  /** How the last run ended. */
  readonly lastFinish?: NonNullable<SessionState['lastFinish']>
}

/** Where the run is. Renders anew with its steps, not with what it says or prints. */
export function useProgress(): Progress {
  return useSessionSelector(progressOf, isSameProgress)
}

const OPEN: readonly Task['state'][] = ['queued', 'running', 'waiting']

function progressOf({ status, run, activity, lastFinish, tasks, state }: SessionSnapshot): Progress {
  const maxTurns = run?.config.maxTurns
  return {
    status,
    ...(run && { startedAt: run.startedAt, turn: run.turn }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(activity && { activity }),
    calls: Object.entries(state.live.calls)
      .filter(([, call]) => call.running)
      .map(([callId, { toolName, progress }]) => ({ callId, toolName, ...(progress && { progress }) })),
    tasks: tasks.filter((task) => OPEN.includes(task.state)),
    ...(lastFinish && { lastFinish }),
  }
}

function isSameProgress(a: Progress, b: Progress): boolean {
  return (
    a.status === b.status &&
    a.startedAt === b.startedAt &&
    a.turn === b.turn &&
    a.activity === b.activity &&
    a.lastFinish === b.lastFinish &&
    isSameList(a.tasks, b.tasks, Object.is) &&
    isSameList(a.calls, b.calls, (one, other) => one.callId === other.callId && one.progress === other.progress)
  )
}

function isSameList<T>(a: readonly T[], b: readonly T[], isSame: (one: T, other: T) => boolean): boolean {
  return a.length === b.length && a.every((item, i) => isSame(item, b[i] as T))
}
