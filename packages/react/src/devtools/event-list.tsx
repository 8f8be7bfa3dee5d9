'use client'
import type { AgentEvent } from '@stepwell/sdk'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useMemo, useState } from 'react'
import { type EventKind, type EventRow, eventRows, KINDS } from './event-rows.ts'
import { seqText } from './format.ts'

/** A page with more rows than these is slow, and nobody reads them all. */
const ROWS_SHOWN = 300

interface EventListProps {
  readonly events: readonly AgentEvent[]
  readonly index: number
  readonly isLive: boolean
  onChoose(index: number): void
}

/** The events that the filter lets through: the last ones, or those around the place that was chosen. */
export function EventList({ events, index, isLive, onChoose }: EventListProps): ReactNode {
  const [kinds, setKinds] = useState<ReadonlySet<EventKind>>(() => new Set(KINDS))
  const [text, setText] = useState('')
  const rows = useMemo(() => eventRows(events, kinds, text), [events, kinds, text])
  const at = placeOf(rows, index)
  const first = Math.max(0, Math.min(at - ROWS_SHOWN / 2, rows.length - ROWS_SHOWN))
  const shown = rows.slice(first, first + ROWS_SHOWN)
  return (
    <div className="swd-list">
      <Filter kinds={kinds} onKinds={setKinds} text={text} onText={setText} />
      <Rows rows={shown} chosen={rows[at]} isLive={isLive} onChoose={onChoose} />
      <p className="swd-hint">
        {rows.length === events.length
          ? `${events.length} events`
          : `${rows.length} rows of ${events.length} events${rows.length > ROWS_SHOWN ? `, ${ROWS_SHOWN} shown` : ''}`}
      </p>
    </div>
  )
}

/** The row of an event, or the one before it where the filter keeps it out. */
function placeOf(rows: readonly EventRow[], index: number): number {
  const after = rows.findIndex((row) => row.index >= index)
  if (after === -1) return rows.length - 1
  const row = rows[after]
  return row !== undefined && row.index - row.count < index ? after : Math.max(0, after - 1)
}

interface FilterProps {
  readonly kinds: ReadonlySet<EventKind>
  readonly text: string
  onKinds(kinds: ReadonlySet<EventKind>): void
  onText(text: string): void
}

function Filter({ kinds, text, onKinds, onText }: FilterProps): ReactNode {
  const toggle = (kind: EventKind): void => {
    const after = new Set(kinds)
    if (!after.delete(kind)) after.add(kind)
    onKinds(after)
  }
  return (
    <div className="swd-filter">
      <input
        type="search"
        aria-label="Find events"
        placeholder="Find"
        value={text}
        onChange={({ target }) => onText(target.value)}
      />
      <fieldset>
        <legend className="swd-unseen">Kinds of events</legend>
        {KINDS.map((kind) => (
          <button key={kind} type="button" aria-pressed={kinds.has(kind)} onClick={() => toggle(kind)}>
            {kind}
          </button>
        ))}
      </fieldset>
    </div>
  )
}

interface RowsProps {
  readonly rows: readonly EventRow[]
  readonly chosen: EventRow | undefined
  readonly isLive: boolean
  onChoose(index: number): void
}

function Rows({ rows, chosen, isLive, onChoose }: RowsProps): ReactNode {
  const prefix = useId()
  const idOf = (row: EventRow): string => `${prefix}-${row.id}`
  const activeId = chosen && idOf(chosen)

  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView?.({ block: 'nearest' })
  }, [activeId])

  const onKeyDown = (event: KeyboardEvent): void => {
    const now = chosen === undefined ? -1 : rows.indexOf(chosen)
    const places: Readonly<Record<string, number>> = {
      ArrowUp: now - 1,
      ArrowDown: now + 1,
      Home: 0,
      End: rows.length - 1,
    }
    const row = rows[places[event.key] ?? -1]
    if (row === undefined) return
    event.preventDefault()
    onChoose(row.index)
  }
  // Of the list, not of each row: with keys the list has the focus, and its rows have none.
  const onClick = ({ target }: MouseEvent): void => {
    const clicked = (target as Element).closest<HTMLElement>('[data-index]')?.dataset.index
    if (clicked !== undefined) onChoose(Number(clicked))
  }
  return (
    <div
      className="swd-rows"
      role="listbox"
      aria-label="Events"
      aria-activedescendant={activeId}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      {rows.map((row) => (
        <div
          key={row.id}
          id={idOf(row)}
          role="option"
          className="swd-row"
          aria-selected={row === chosen && !isLive}
          tabIndex={-1}
          data-index={row.index}
          data-kind={row.kind}
        >
          <span className="swd-seq">{seqText(row.event.seq)}</span>
          <span className="swd-type">
            {row.event.type}
            {row.count > 1 && ` ×${row.count}`}
          </span>
          <span className="swd-summary">{row.summary}</span>
        </div>
      ))}
    </div>
  )
}
