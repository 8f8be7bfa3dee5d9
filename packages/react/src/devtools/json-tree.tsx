'use client'
import { type ReactNode, useState } from 'react'

interface JsonTreeProps {
  readonly value: unknown
  /** Of the value in its parent. */
  readonly name?: string
  readonly isOpen?: boolean
}

/** A value that can be looked into. What is closed is not rendered. */
export function JsonTree({ value, name, isOpen: isOpenAtFirst = false }: JsonTreeProps): ReactNode {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst)
  const label = name !== undefined && <span className="swd-name">{name}: </span>
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="swd-leaf">
        {label}
        <span data-type={typeof value}>{JSON.stringify(value) ?? 'undefined'}</span>
      </div>
    )
  }
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  if (entries.length === 0) {
    return (
      <div className="swd-leaf">
        {label}
        {Array.isArray(value) ? '[]' : '{}'}
      </div>
    )
  }
  return (
    <details className="swd-tree" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        {label}
        {Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`}
      </summary>
      {isOpen && entries.map(([key, inner]) => <JsonTree key={key} name={key} value={inner} />)}
    </details>
  )
}
