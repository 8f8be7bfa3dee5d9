import type { Command, InputCommand, Receipt, RunSettings, SessionPatch } from '../protocol/commands.ts'
import { runIdOf } from '../protocol/commands.ts'
import { InputError } from '../protocol/errors.ts'
import { type JsonObject, normalise } from '../protocol/json.ts'
import type { UserPart } from '../protocol/messages.ts'
import type { AgentSession, BytesPart, InputContent, Run, RunOptions, SendOptions } from '../protocol/session.ts'
import { checkMaxTurns } from './check-options.ts'
import { MAX_BLOB_BYTES, MAX_COMMAND_BYTES } from './defaults.ts'
import type { Hub } from './hub.ts'
import { readEvents } from './reader.ts'
import { followRun, startRun } from './run-handle.ts'
import type { AgentRuntime } from './runtime.ts'

/** A handle of a session in this process. Any number of handles share one hub. */
export class LocalSession implements AgentSession {
  readonly #hub: Hub
  readonly #runtime: AgentRuntime
  /** What ends with this handle. */
  readonly #held = new Set<() => void>()

  constructor(hub: Hub, runtime: AgentRuntime) {
    this.#hub = hub
    this.#runtime = runtime
  }

  get id() {
    return this.#hub.id
  }

  get ready() {
    return this.#hub.ready
  }

  get state() {
    return this.#hub.feed.state
  }

  subscribe(listener: Parameters<AgentSession['subscribe']>[0]): () => void {
    const unsubscribe = this.#hub.feed.subscribe(listener)
    const release = (): void => {
      this.#held.delete(release)
      unsubscribe()
    }
    this.#held.add(release)
    return release
  }

  events({ after = 0, signal }: { readonly after?: number; readonly signal?: AbortSignal } = {}) {
    const { feed, ready } = this.#hub
    const release = (): void => void reader.return?.()
    const reader = readEvents({
      feed,
      store: this.#runtime.store,
      ready,
      after: () => after,
      onEnd: () => this.#held.delete(release),
      ...(signal && { signal }),
    })
    this.#held.add(release)
    return reader
  }

  run(input: InputContent, options: RunOptions = {}): Run {
    const id = options.commandId ?? this.#runtime.ids('in')
    return startRun(this.#handle(runIdOf(id), options.signal), async () =>
      this.#input(input, { id, mode: 'run', ...asked(options) }, options.commandId !== undefined),
    )
  }

  send(input: InputContent, { mode = 'steer', by, commandId }: SendOptions = {}): Promise<Receipt> {
    const id = commandId ?? this.#runtime.ids('in')
    return this.#input(input, { id, mode, ...(by !== undefined && { by }) }, commandId !== undefined)
  }

  follow(runId: string): Run {
    return followRun(this.#handle(runId))
  }

  abort(runId?: string): Promise<Receipt> {
    return this.#submit({ type: 'abort', id: this.#runtime.ids('cmd'), ...(runId !== undefined && { runId }) })
  }

  continue(options: RunOptions = {}): Run {
    const id = options.commandId ?? this.#runtime.ids('cmd')
    return startRun(this.#handle(runIdOf(id), options.signal), async () =>
      this.#submit({ type: 'continue', id, ...asked(options) }, options.commandId !== undefined),
    )
  }

  update(patch: SessionPatch): Promise<Receipt> {
    return this.#submit({ type: 'update', id: this.#runtime.ids('cmd'), row: normalise(patch) as SessionPatch })
  }

  async close(): Promise<void> {
    for (const release of [...this.#held]) release()
  }

  #input(input: InputContent, command: Omit<InputCommand, 'type' | 'at' | 'parts'>, repeatable: boolean) {
    const at = this.#runtime.clock.now()
    const taken = this.#take(input).then((parts): Command => ({ ...command, type: 'input', at, parts }))
    return this.#hub.submit(taken, repeatable)
  }

  #submit(
    command: Command extends infer C ? (C extends Command ? Omit<C, 'at'> : never) : never,
    repeatable = false,
  ): Promise<Receipt> {
    return this.#hub.submit({ ...command, at: this.#runtime.clock.now() } as Command, repeatable)
  }

  #handle(runId: string, signal?: AbortSignal) {
    return {
      hub: this.#hub,
      store: this.#runtime.store,
      runId,
      ...(signal && { signal }),
      stop: (open: string) => void this.abort(open).catch(() => {}),
    }
  }

  /** The input as it is stored: bytes become blobs before it is accepted. */
  async #take(input: InputContent): Promise<UserPart[]> {
    const given: readonly (UserPart | BytesPart)[] = typeof input === 'string' ? [{ type: 'text', text: input }] : input
    checkInput(given)
    await this.#hub.ready
    const parts = await Promise.all(
      given.map(async (part): Promise<UserPart> => {
        if (!('bytes' in part)) return normalise(part) as unknown as UserPart
        const { bytes, ...rest } = part
        return { ...rest, blob: await this.#runtime.store.blobs.put(this.id, bytes, part.mediaType) }
      }),
    )
    return parts
  }
}

function asked({ by, maxTurns, settings, metadata }: RunOptions): { by?: string; options?: RunSettings } {
  checkMaxTurns(maxTurns)
  const options: RunSettings = {
    ...(maxTurns !== undefined && { maxTurns }),
    ...(settings !== undefined && { settings: normalise(settings) as JsonObject }),
    ...(metadata !== undefined && { metadata: normalise(metadata) as JsonObject }),
  }
  return { ...(by !== undefined && { by }), ...(Object.keys(options).length > 0 && { options }) }
}

const PART_TYPES: readonly unknown[] = ['text', 'image', 'file', 'session']

function checkInput(parts: readonly (UserPart | BytesPart)[]): void {
  const isPart = (part: UserPart | BytesPart | null | undefined): boolean =>
    PART_TYPES.includes(part?.type) && (part?.type !== 'text' || typeof part.text === 'string')
  if (Array.isArray(parts) && !parts.every(isPart)) {
    throw new InputError('input.invalid', 'An input is a text, or a list of text, image, file and session parts.')
  }
  const isBlank = (part: UserPart | BytesPart): boolean => part.type === 'text' && part.text.trim() === ''
  if (!Array.isArray(parts) || parts.every(isBlank)) {
    throw new InputError('input.empty', 'An input needs text or an attachment.')
  }
  for (const part of parts) {
    if (!('bytes' in part)) continue
    if (!ArrayBuffer.isView(part.bytes)) {
      throw new InputError('input.invalid', 'The bytes of an attachment have to be a Uint8Array.')
    }
    if (part.bytes.length > MAX_BLOB_BYTES) {
      throw tooLarge(`An attachment has ${part.bytes.length} bytes; the limit is ${MAX_BLOB_BYTES}.`)
    }
  }
  const inline = parts.reduce((sum, part) => sum + ('text' in part ? utf8Length(part.text ?? '') : 0), 0)
  if (inline > MAX_COMMAND_BYTES) {
    throw tooLarge(`The input's text has ${inline} bytes; the limit is ${MAX_COMMAND_BYTES}. Attach it as a file.`)
  }
}

function tooLarge(message: string): InputError {
  return new InputError('input.too-large', message)
}

/** Exact where it matters: a text that is over the limit by its length alone is not encoded. */
function utf8Length(text: string): number {
  return text.length > MAX_COMMAND_BYTES ? text.length : new TextEncoder().encode(text).length
}
