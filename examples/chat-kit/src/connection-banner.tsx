import { useConnection } from '@stepwell/react'
import { type ReactNode, useEffect, useState } from 'react'
import { Icon } from './icons.tsx'

/** A hiccup that is over at once is not worth a word, ms. */
const PATIENCE_MS = 600

/** Says so when what is shown may not be all. */
export function ConnectionBanner(): ReactNode {
  const { status, error } = useConnection()
  const isLost = status === 'reconnecting' || status === 'offline' || status === 'failed'
  const isLate = useLasting(isLost)
  if (!isLost || !isLate) return null
  return (
    <div className="banner">
      {status === 'reconnecting' ? <span className="spinner" aria-hidden="true" /> : <Icon name="cloud" />}
      {status === 'offline' && 'You are offline. What you send waits here.'}
      {status === 'reconnecting' && 'Connection lost. Connecting again…'}
      {status === 'failed' && (error?.message ?? 'The server does not answer.')}
      {status === 'failed' && (
        <button type="button" className="text-button" onClick={() => window.location.reload()}>
          Reload
        </button>
      )}
    </div>
  )
}

function useLasting(isOn: boolean): boolean {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    if (!isOn) return
    const timer = setTimeout(() => setIsLate(true), PATIENCE_MS)
    return () => {
      clearTimeout(timer)
      setIsLate(false)
    }
  }, [isOn])
  return isLate
}
