'use client'
import type { ErrorInfo, Receipt } from '@stepwell/sdk'
import { errorInfo } from '@stepwell/sdk/view'
import { useCallback, useState } from 'react'

/** What became of the last thing that was done to an item. */
interface ItemStatus {
  readonly isBusy: boolean
  /** Why it was not done. */
  readonly error?: ErrorInfo
}

const IDLE: ItemStatus = { isBusy: false }

export interface Tracked {
  statusOf(id: string): ItemStatus
  /** Does it, and remembers for `id` that it is under way or has failed. Never rejects. */
  track(id: string, act: () => Promise<Receipt>): Promise<Receipt>
}

/** Busy and error, item by item. */
export function useTracked(): Tracked {
  const [statuses, setStatuses] = useState<ReadonlyMap<string, ItemStatus>>(new Map())
  const track = useCallback(async (id: string, act: () => Promise<Receipt>): Promise<Receipt> => {
    const set = (status: ItemStatus): void => setStatuses((before) => changed(before, id, status))
    set({ isBusy: true })
    const receipt = await act().catch((thrown: unknown): Receipt => {
      return { commandId: '', status: 'refused', error: errorInfo(thrown) }
    })
    set(receipt.status === 'refused' && receipt.error ? { isBusy: false, error: receipt.error } : IDLE)
    return receipt
  }, [])
  return { statusOf: (id) => statuses.get(id) ?? IDLE, track }
}

function changed(before: ReadonlyMap<string, ItemStatus>, id: string, status: ItemStatus): Map<string, ItemStatus> {
  const after = new Map(before)
  if (status === IDLE) after.delete(id)
  else after.set(id, status)
  return after
}
