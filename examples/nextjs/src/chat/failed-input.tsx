'use client'
import { useComposer, useSession } from '@stepwell/react'
import type { ReactNode } from 'react'

export function FailedInput({ id, reason }: { readonly id: string; readonly reason: string | undefined }): ReactNode {
  const { retry } = useSession()
  const { restore } = useComposer()
  return (
    <p className="failed" role="alert">
      <span>Not sent. {reason}</span>
      <button type="button" className="text-button" onClick={() => void retry(id)}>
        Try again
      </button>
      <button type="button" className="text-button" onClick={() => restore(id)}>
        Edit
      </button>
    </p>
  )
}
