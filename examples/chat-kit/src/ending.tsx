import { useProgress, useSession, useSessionSelector } from '@stepwell/react'
import type { FinishReason } from '@stepwell/sdk'
import type { SessionSnapshot } from '@stepwell/sdk/view'
import type { ReactNode } from 'react'
import { ENDINGS } from './endings.ts'
import { Icon } from './icons.tsx'

const CALM: readonly FinishReason[] = ['aborted', 'length', 'max-turns', 'interrupted', 'blank']

/** What a person did not ask for but should know, and how the last run ended where it did not simply end. */
export function Ending(): ReactNode {
  const { status, lastFinish } = useProgress()
  const notices = useSessionSelector(noticesOfRun, isSameList)
  const fault = useSessionSelector((snapshot) => snapshot.fault)
  const session = useSession()
  const reason = status === 'idle' ? lastFinish?.reason : undefined
  const words = reason === undefined || reason === 'stop' ? undefined : ENDINGS[reason]
  return (
    <>
      {notices.map(({ seq, text }) => (
        <p key={seq} className="notice">
          <bdi>{text}</bdi>
        </p>
      ))}
      {fault && (
        <div className="ending" data-reason="error" role="alert">
          <Icon name="warn" />
          <div>
            <strong>Nothing can be stored now</strong>
            <p>
              <bdi>{fault.message}</bdi>
            </p>
          </div>
        </div>
      )}
      {reason && words && (
        <section className="ending" data-reason={reason} aria-label="How it ended">
          <Icon name={CALM.includes(reason) ? 'stop' : 'warn'} />
          <div>
            <strong>{words.title}</strong>
            <p>
              <bdi>
                {lastFinish?.error?.message} {words.next}
              </bdi>
            </p>
          </div>
          {words.action && (
            <button type="button" className="button" onClick={() => session.continue()}>
              {words.action}
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
