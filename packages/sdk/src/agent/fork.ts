import { SessionError } from '../protocol/errors.ts'
import type { BlobRef, Message } from '../protocol/messages.ts'
import type { ForkOptions } from '../protocol/session.ts'
import type { Feed } from './feed.ts'
import type { OpenOptions } from './open-options.ts'
import type { Session } from './run-settings.ts'
import type { AgentRuntime } from './runtime.ts'

export type OpenSession = (id: string, options: OpenOptions) => Promise<Session>

/** A new session with the history of this one, as far as `toMessageId`, and the bytes it names. */
export async function fork(
  feed: Feed,
  { store, ids }: AgentRuntime,
  { id = ids('ses'), toMessageId, ...details }: ForkOptions,
  open: OpenSession,
): Promise<Session> {
  await feed.catchUp()
  const { state } = feed
  const last = toMessageId === undefined ? state.history.length - 1 : indexOf(state.history, toMessageId)
  const history = state.history.slice(0, last + 1)
  const { run } = state
  if (run !== undefined && history.some(({ runId }) => runId === run.id)) {
    throw new SessionError('session.busy', `Run ${run.id} is open. Fork before its first message, or wait for its end.`)
  }
  if ((await store.get(id)) !== undefined) throw new SessionError('session.conflict', `There is a session "${id}".`)
  const { title, principal, tenant, profile } = state.row
  const kept = Object.fromEntries(
    Object.entries({ title, principal, tenant, profile }).filter(([, value]) => value !== undefined),
  )
  const forked = await open(id, { ...kept, ...details, history })
  try {
    for (const sha256 of blobsOf(history)) {
      const bytes = await store.blobs.get(state.id, sha256)
      if (bytes !== undefined) await store.blobs.put(id, bytes)
    }
  } catch (thrown) {
    // Nobody knows of it yet, and it is not whole.
    await store.delete(id).catch(() => {})
    throw thrown
  }
  return forked
}

function indexOf(history: readonly Message[], messageId: string): number {
  const index = history.findIndex(({ id }) => id === messageId)
  if (index === -1) throw new SessionError('session.unknown-message', `The history has no message ${messageId}.`)
  return index
}

/** The bytes that messages name, wherever in them. */
function blobsOf(messages: readonly Message[]): Set<string> {
  const found = new Set<string>()
  const add = (blob: BlobRef | undefined): void => {
    if (blob !== undefined) found.add(blob.sha256)
  }
  for (const message of messages) {
    if (message.role === 'note') continue
    for (const part of message.parts) {
      if (part.type === 'image' || part.type === 'file') add(part.blob)
      if (part.type !== 'tool-call' || part.result === undefined) continue
      const { images = [], artifacts = [], full } = part.result
      for (const { blob } of [...images, ...artifacts]) add(blob)
      add(full)
    }
  }
  return found
}
