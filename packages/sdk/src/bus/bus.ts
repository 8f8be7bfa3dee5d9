import type { EventBatch } from '../protocol/events.ts'

/**
 * Hints and live events between handles and processes. The truth is in the store: a bus may lose anything, and a reader
 * finds out by `prev`, by heartbeats or by its next look at the store.
 */
export interface SessionBus {
  /** Never blocks and never throws. Called by the session's owner, in order. */
  publish(sessionId: string, batch: EventBatch): void
  /**
   * Batches as they are published, in order, after first giving what the bus still holds above `after` (the open turn,
   * deltas merged). A subscriber that throws harms nobody else. Returns its removal.
   */
  subscribe(sessionId: string, after: number, onBatch: (batch: EventBatch) => void): () => void
  /** Tells the owner that a command is waiting. */
  signal(sessionId: string): void
  onSignal(callback: (sessionId: string) => void): () => void
  close(): Promise<void>
}
