import type { BlobRef } from '../../protocol/messages.ts'

/** Where a page gets the bytes of an attachment. */
export type FileUrl = (blob: BlobRef) => string

/** Where `useChat` looks for its server unless it is told otherwise. */
export const DEFAULT_PATH = '/api/chat'

export function blobPath(basePath: string, sessionId: string): string {
  return `${basePath}/${encodeURIComponent(sessionId)}/blobs/`
}
