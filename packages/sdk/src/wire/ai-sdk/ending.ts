import type { Finish } from '../../protocol/events.ts'
import type { UIChunk, UIFinishReason } from './ui-chunk.ts'

const REASONS: Readonly<Partial<Record<Finish['reason'], UIFinishReason>>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content-filter',
  compliance: 'content-filter',
}

/** How a run's end is told. `useChat` knows six reasons: ours is in the message's metadata, and so is what it cost. */
export function endOf({ reason, error, usage }: Finish): UIChunk[] {
  const messageMetadata = { finishReason: reason, usage: usage.run, ...(error && { error }) }
  if (reason === 'error' || reason === 'interrupted') {
    const errorText = error?.message ?? 'The run was interrupted.'
    return [
      { type: 'message-metadata', messageMetadata },
      { type: 'error', errorText },
    ]
  }
  const aborted: UIChunk[] = reason === 'aborted' ? [{ type: 'abort' }] : []
  return [...aborted, { type: 'finish', finishReason: REASONS[reason] ?? 'other', messageMetadata }]
}
