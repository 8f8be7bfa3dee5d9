import { useComposer } from '@stepwell/react'
import type { DragEvent, ReactNode } from 'react'

/** Files that are let go over the conversation are attached. */
export function DropZone({ children }: { readonly children: ReactNode }): ReactNode {
  const { attach } = useComposer()
  const onDrop = (event: DragEvent): void => {
    if (event.dataTransfer.files.length === 0) return
    event.preventDefault()
    attach([...event.dataTransfer.files])
  }
  return (
    <main className="thread" onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      {children}
    </main>
  )
}
