import { useHistoryPager } from '@stepwell/react'
import type { ReactNode } from 'react'

export function Older(): ReactNode {
  const { more, isLoading, error, loadBefore } = useHistoryPager()
  if (!more) return null
  return (
    <div className="older">
      <button type="button" className="button quiet" disabled={isLoading} onClick={() => void loadBefore()}>
        {isLoading ? 'Loading…' : 'Earlier messages'}
      </button>
      {error && <p role="alert">{error.message}</p>}
    </div>
  )
}
