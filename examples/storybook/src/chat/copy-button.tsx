import { type ReactNode, useState } from 'react'
import { Icon } from './icons.tsx'

interface CopyButtonProps {
  readonly label: string
  read(): string
}

export function CopyButton({ label, read }: CopyButtonProps): ReactNode {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(read())
    setIsCopied(true)
  }
  return (
    <button
      type="button"
      className="icon-button small"
      aria-label={isCopied ? 'Copied' : label}
      onClick={() => void copy().catch(() => {})}
      onBlur={() => setIsCopied(false)}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  )
}
