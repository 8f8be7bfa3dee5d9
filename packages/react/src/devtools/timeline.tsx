'use client'
import type { AgentEvent } from '@stepwell/sdk'
import type { ReactNode } from 'react'
import { durationText, seqText } from './format.ts'

interface TimelineProps {
  readonly events: readonly AgentEvent[]
  readonly index: number
  readonly isLive: boolean
  /** Undefined: along with the end. */
  onChoose(index: number | undefined): void
}

/** Where in the log, with keys too: an arrow is an event. */
export function Timeline({ events, index, isLive, onChoose }: TimelineProps): ReactNode {
  const event = events[index]
  const begun = events[0]?.at ?? 0
  const text = event === undefined ? '' : `${seqText(event.seq)}, ${event.type}`
  return (
    <div className="swd-timeline">
      <input
        type="range"
        aria-label="Place in the log"
        aria-valuetext={text}
        min={0}
        max={Math.max(0, events.length - 1)}
        value={Math.max(0, index)}
        disabled={events.length === 0}
        onChange={({ target }) => onChoose(Number(target.value))}
      />
      <output>{event === undefined ? 'empty' : `${seqText(event.seq)} · +${durationText(event.at - begun)}`}</output>
      <button type="button" aria-pressed={isLive} onClick={() => onChoose(isLive ? index : undefined)}>
        Live
      </button>
    </div>
  )
}
