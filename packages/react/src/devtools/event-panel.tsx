import type { ReactNode } from 'react'
import { JsonTree } from './json-tree.tsx'
import type { Place } from './place.ts'

/** The event as it is in the log. */
export function EventPanel({ events, index }: Place): ReactNode {
  const event = events[index]
  if (event === undefined) return null
  return (
    <>
      <p className="swd-hint">
        <time dateTime={new Date(event.at).toISOString()}>{new Date(event.at).toISOString()}</time>
      </p>
      {Object.entries(event).map(([name, value]) => (
        <JsonTree key={`${event.seq}-${name}`} name={name} value={value} isOpen />
      ))}
    </>
  )
}
