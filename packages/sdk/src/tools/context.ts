import type { Ids } from '../protocol/clock.ts'
import { ToolError } from '../protocol/errors.ts'
import type { ToolProgress } from '../protocol/events.ts'
import { normalise } from '../protocol/json.ts'
import type { Artifact, FileChange, Message, ToolResult } from '../protocol/messages.ts'
import { rare } from './late.ts'
import type { PresentedFile, ToolContext } from './tool.ts'
import { truncateText } from './truncate.ts'

const MAX_DIFF = 20_000

/** What the agent lends a call. */
export interface ToolHost {
  readonly sessionId: string
  readonly runId: string
  readonly turn: number
  /** What `createAgent({ context })` returned. */
  readonly context: unknown
  readonly history: readonly Message[]
  readonly ids: Ids
  readonly blobs: ToolContext['blobs']
  ask?: ToolContext['ask']
  /** Runs the tool inside something of the agent's. Settles as `work` does, and calls it once. */
  within?<T>(work: () => Promise<T>): Promise<T>
  log?: ToolContext['log']
}

/** One call's context, and what the tool declared through it. */
export interface CallContext {
  readonly ctx: ToolContext
  declared(): Pick<ToolResult, 'artifacts' | 'changes'>
  /** Resolves when everything that was presented is stored, or could not be. */
  presented(): Promise<unknown>
  /** What the tool says from now on is ignored. */
  close(): void
}

export interface CallContextOptions {
  readonly host: ToolHost
  readonly callId: string
  readonly toolName: string
  readonly signal: AbortSignal
  output(chunk: string, progress?: ToolProgress): void
  /** Told when a question is asked and when it is answered. */
  onAsk(): void
  onAnswer(): void
}

export function callContext({
  host,
  callId,
  toolName,
  signal,
  output,
  onAsk,
  onAnswer,
}: CallContextOptions): CallContext {
  const { ids, within: _within, ...lent } = host
  const changes: FileChange[] = []
  const artifacts: Artifact[] = []
  const presenting: Promise<unknown>[] = []
  let open = true

  const blobs: ToolContext['blobs'] = {
    put: (bytes, mediaType) => quiet(host.blobs.put(bytes, mediaType)),
    get: (sha256) => quiet(host.blobs.get(sha256)),
  }

  async function present(file: PresentedFile): Promise<Artifact> {
    const { presentedFile } = await rare()
    const artifact = await presentedFile(file, { toolName, blobs, ids })
    if (open) artifacts.push(artifact)
    return artifact
  }

  const ask: ToolContext['ask'] = async (questions) => {
    if (host.ask === undefined) throw new ToolError('tool.failed', `Tool "${toolName}": nobody can be asked here.`)
    onAsk()
    try {
      return await host.ask(questions)
    } finally {
      onAnswer()
    }
  }

  const ctx: ToolContext = {
    ...lent,
    signal,
    idempotencyKey: `${lent.runId}:${callId}`,
    callId,
    output,
    fileChange(change) {
      if (open) changes.push(plainChange(change))
    },
    present(file) {
      const presented = quiet(present(file))
      presenting.push(presented)
      return presented
    },
    blobs,
    ask: (questions) => quiet(ask(questions)),
    log: lent.log ?? (() => {}),
  }

  return {
    ctx,
    declared: () => ({
      ...(artifacts.length > 0 && { artifacts: [...artifacts] }),
      ...(changes.length > 0 && { changes: [...changes] }),
    }),
    presented: () => Promise.allSettled(presenting),
    close() {
      open = false
    },
  }
}

/** A tool that does not wait for it must not take the process down when it fails. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

function plainChange(change: FileChange): FileChange {
  if (typeof change?.path !== 'string' || !['created', 'modified', 'deleted'].includes(change.kind)) {
    throw new ToolError('tool.failed', 'fileChange takes { path, kind: "created" | "modified" | "deleted", diff? }.')
  }
  const plain = { ...(normalise(change) as unknown as FileChange) }
  if (plain.diff === undefined || plain.diff.length <= MAX_DIFF) return plain
  return { ...plain, diff: truncateText(plain.diff, MAX_DIFF), truncated: true }
}
