import { useProgress, useSession, useSessionSelector } from '@stepwell/react'
import type { SessionSnapshot } from '@stepwell/sdk/view'
import type { ReactNode } from 'react'
import { Icon } from './icons.tsx'
import { ENDINGS } from './words.ts'

const CALM: readonly string[] = ['aborted', 'length', 'max-turns', 'interrupted', 'blank']

/** What a person did not ask for but should know, and how the last run ended where it did not simply end. */
export function Ending(): ReactNode {
  const { status, lastFinish } = useProgress()
  const notices = useSessionSelector(noticesOfRun, isSameList)
  const session = useSession()
  const reason = status === 'idle' ? lastFinish?.reason : undefined
  return (
    <>
      {notices.map(({ seq, text }) => (
        <p key={seq} className="notice">
          {text}
        </p>
      ))}
      {reason !== undefined && reason !== 'stop' && (
        <section className="ending" data-reason={reason} aria-label="How it ended">
          <Icon name={CALM.includes(reason) ? 'stop' : 'warn'} />
          <div>
            <strong>{ENDINGS[reason].title}</strong>
            <p>
              {lastFinish?.error?.message} {ENDINGS[reason].next}
            </p>
          </div>
          {ENDINGS[reason].action && (
            <button type="button" className="button" onClick={() => session.continue()}>
              {ENDINGS[reason].action}
            </button>
          )}
        </section>
      )}
    </>
  )
}

/** Those of the run that is open, or else of the last one. */
function noticesOfRun({ notices, run, lastFinish }: SessionSnapshot): SessionSnapshot['notices'] {
  const runId = run?.id ?? lastFinish?.runId
  return notices.filter((notice) => notice.runId === runId)
}

function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i])
}
