import type { LiveCall } from '@stepwell/sdk'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { scrollable } from './scrollable.ts'

/** What a tool prints while it runs, at its end, and how far it is. */
export function LiveOutput({ call: { output, progress } }: { readonly call: LiveCall }): ReactNode {
  const box = useRef<HTMLPreElement>(null)
  useLayoutEffect(() => {
    if (box.current && output !== '') box.current.scrollTop = box.current.scrollHeight
  }, [output])
  return (
    <>
      {progress?.total !== undefined && (
        <div className="progress-line">
          <progress aria-label={progress.label ?? 'Progress'} max={progress.total} value={progress.done ?? 0} />
          <span>
            {progress.done ?? 0} of {progress.total} {progress.unit}
          </span>
        </div>
      )}
      {output !== '' && (
        <pre className="terminal is-live" ref={box} dir="ltr" {...scrollable}>
          {output}
        </pre>
      )}
    </>
  )
}
