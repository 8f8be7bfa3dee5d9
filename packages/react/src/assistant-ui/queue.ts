import type { ExternalThreadQueueAdapter, QueueItemState } from '@assistant-ui/react'
import type { BytesPart, Lane, UserPart } from '@stepwell/sdk'
import type { OutboxEntry, SessionSnapshot } from '@stepwell/sdk/view'
import { toBase64 } from './data-urls.ts'

type Waiting = Pick<ExternalThreadQueueAdapter, 'items' | 'steerItems'>

/** The session's lanes, and behind each what is on its way into it. */
export function queueItems({ queue }: SessionSnapshot, sent: readonly OutboxEntry[]): Waiting {
  const items = (lane: Lane): QueueItemState[] => [
    ...queue[lane].map((input) => itemOf(input, input.id, input.parts)),
    ...sent.filter(({ mode }) => mode === lane).map(({ message, id }) => itemOf(message, id, message.parts)),
  ]
  return { items: items('queue'), steerItems: items('steer') }
}

const known = new WeakMap<object, QueueItemState>()

function itemOf(of: object, id: string, parts: readonly (UserPart | BytesPart)[]): QueueItemState {
  const before = known.get(of)
  if (before !== undefined) return before
  const shown = parts.flatMap(itemPart)
  const prompt = shown.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n')
  const item = { id, prompt, parts: shown }
  known.set(of, item)
  return item
}

function itemPart(part: UserPart | BytesPart): QueueItemState['parts'] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }]
  if (part.type === 'session') return [{ type: 'text', text: part.title ?? part.sessionId }]
  const data = 'bytes' in part ? toBase64(part.bytes) : (part.url ?? '')
  const filename = part.name !== undefined && { filename: part.name }
  return [{ type: 'file', data, mimeType: part.mediaType, ...filename }]
}
