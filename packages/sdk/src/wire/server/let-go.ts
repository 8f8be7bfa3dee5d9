import type { AgentRuntime } from '../../agent/runtime.ts'
import type { EventStream } from './event-stream.ts'
import { messageFrame } from './frame.ts'

/** Readers that are told to come back do so within this time, not all at once. */
const RECONNECT_MS = 1_000

/** Tells the readers of a stream to come back, and ends it. */
export function letGo(stream: EventStream, { random }: Pick<AgentRuntime, 'random'>): void {
  stream.write(messageFrame({ reconnect: Math.round(random() * RECONNECT_MS) }))
  stream.close()
}
