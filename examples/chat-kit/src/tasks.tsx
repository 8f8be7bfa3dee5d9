import { useTasks } from '@stepwell/react'
import type { Task, TaskProgress } from '@stepwell/sdk'
import type { ReactNode } from 'react'
import { bytesText } from './format.ts'
import { Icon, type IconName } from './icons.tsx'

const STATES: Readonly<Record<Task['state'], { readonly word: string; readonly icon?: IconName }>> = {
  queued: { word: 'Waiting', icon: 'clock' },
  running: { word: 'Running' },
  waiting: { word: 'Waits for you', icon: 'warn' },
  done: { word: 'Done', icon: 'check' },
  failed: { word: 'Failed', icon: 'close' },
  cancelled: { word: 'Cancelled', icon: 'close' },
  lost: { word: 'Lost', icon: 'warn' },
}

/** Work beside the conversation. */
export function Tasks(): ReactNode {
  const tasks = useTasks()
  if (tasks.length === 0) return null
  return (
    <section className="tasks" aria-label="Tasks">
      <ul>
        {tasks.map((task) => (
          <TaskRow key={task.id} task={task} />
        ))}
      </ul>
    </section>
  )
}

function TaskRow({ task: { kind, title, state, progress, error } }: { readonly task: Task }): ReactNode {
  const { word, icon } = STATES[state]
  const isOpen = state === 'running'
  const name = title ?? kind
  return (
    <li className="task" data-state={state}>
      {icon === undefined ? <span className="spinner" aria-hidden="true" /> : <Icon name={icon} />}
      <div className="task-text">
        <span dir="auto">{name}</span>
        <small>{error?.message ?? (isOpen && progress ? progressText(progress) : word)}</small>
        {isOpen && progress && (
          <progress aria-label={name} max={progress.total} value={progress.total && (progress.bytes ?? 0)} />
        )}
      </div>
    </li>
  )
}

function progressText({ bytes = 0, total, speed, phase }: TaskProgress): string {
  const amount = total === undefined ? bytesText(bytes) : `${bytesText(bytes)} of ${bytesText(total)}`
  const rest = total === undefined || !speed ? undefined : `${Math.ceil((total - bytes) / speed)} s left`
  return [phase, amount, speed && `${bytesText(speed)}/s`, rest].filter(Boolean).join(' · ')
}
