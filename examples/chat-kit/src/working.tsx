import { useProgress, useSessionSelector } from '@stepwell/react'
import { type ReactNode, useEffect, useState } from 'react'

/** What goes on where nothing is being written. */
export function Working(): ReactNode {
  const { status, activity, calls } = useProgress()
  const isWriting = useSessionSelector(({ pending }) => (pending.message?.parts.length ?? 0) > 0)
  if (activity?.kind === 'retrying') return <Retry until={activity.until} reason={activity.error.message} />
  if (activity?.kind === 'compacting') return <Line text="Making room in the context…" />
  if (status === 'stopping') return <Line text="Stopping…" />
  if (status !== 'running' || isWriting || calls.length > 0) return null
  return <Line text="Working…" />
}

function Retry({ until, reason }: { readonly until: number; readonly reason: string }): ReactNode {
  const [left, setLeft] = useState<number>()
  useEffect(() => {
    const read = (): void => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1_000)))
    read()
    const timer = setInterval(read, 500)
    return () => clearInterval(timer)
  }, [until])
  return <Line text={`${reason} Trying again${left ? ` in ${left} s` : ''}…`} />
}

function Line({ text }: { readonly text: string }): ReactNode {
  return (
    <p className="working">
      <span className="pulse" aria-hidden="true" />
      <span className="shimmer">{text}</span>
    </p>
  )
}
