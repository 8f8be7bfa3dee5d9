import { type ReactNode, useEffect, useState } from 'react'
import { Icon } from './icons.tsx'

const SHOWN_MS = 1_500

export function CopyButton({ label, read }: { readonly label: string; read(): string }): ReactNode {
  const [isDone, setIsDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => setIsDone(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isDone])
  const copy = (): void => {
    navigator.clipboard.writeText(read()).then(
      () => setIsDone(true),
      () => setIsDone(false),
    )
  }
  return (
    <button
      type="button"
      className="icon-button small"
      aria-label={isDone ? 'Copied' : label}
      title={label}
      onClick={copy}
    >
      <Icon name={isDone ? 'check' : 'copy'} />
    </button>
  )
}
