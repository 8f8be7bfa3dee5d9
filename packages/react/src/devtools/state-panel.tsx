import { changedCells } from '@stepwell/sdk'
import type { ReactNode } from 'react'
import { JsonTree } from './json-tree.tsx'
import type { Place } from './place.ts'

/** The state after the event, and which cells the event changed: whoever reads one of those renders anew. */
export function StatePanel({ log, index }: Place): ReactNode {
  const state = log.stateAfter(index + 1)
  const cells = [...changedCells(log.stateAfter(index), state)]
  return (
    <>
      <p className="swd-hint">
        {cells.length === 0 ? 'This event changed no cell.' : 'This event changed '}
        {cells.map((cell) => (
          <code key={cell}>{cell}</code>
        ))}
      </p>
      {Object.entries(state).map(([name, value]) => (
        <JsonTree key={name} name={name} value={value} />
      ))}
    </>
  )
}
