'use client'
import { useProgress, useSessionSelector } from '@stepwell/react'
import { type ReactNode, useEffect, useState } from 'react'

/** What goes on where nothing is being written. */
export function Working(): ReactNode {
  const { status, activity, calls } = useProgress()
  const isWriting = useSessionSelector(({ pending }) => (pending.message?.parts.length ?? 0) > 0)
  if (activity?.kind === 'retrying') return <Retry until={activity.until} reason={activity.error?.message} />
  if (status === 'stopping') return <Line text="Stopping…" />
  if (status !== 'running' || isWriting || calls.length > 0) return null
  return <Line text="Thinking…" />
}

function Retry({
  until,
  reason,
}: {
  readonly until: number | undefined
  readonly reason: string | undefined
}): ReactNode {
  const [left, setLeft] = useState<number>()
  useEffect(() => {
    if (until === undefined) return
    const read = (): void => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1_000)))
    read()
    const timer = setInterval(read, 500)
    return () => clearInterval(timer)
  }, [until])
  return <Line text={`${reason ?? 'The model did not answer.'} Trying again${left ? ` in ${left} s` : ''}…`} />
}

function Line({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="working">
      <span className="pulse" aria-hidden="true" />
      <span>{text}</span>
    </div>
  )
}
