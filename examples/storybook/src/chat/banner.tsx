import { useConnection } from '@stepwell/react'
import type { ReactNode } from 'react'
import { Icon } from './icons.tsx'

/** Says so when what is shown may not be all. */
export function Banner(): ReactNode {
  const { status, error } = useConnection()
  if (status === 'live' || status === 'connecting') return null
  return (
    <p className="banner" data-status={status}>
      {status === 'reconnecting' ? <span className="spinner" aria-hidden="true" /> : <Icon name="cloud" />}
      {status === 'offline' && 'You are offline. What you write is sent when you are back.'}
      {status === 'reconnecting' && 'Connection lost. Connecting again…'}
      {status === 'failed' && (error?.message ?? 'The server does not answer.')}
    </p>
  )
}
