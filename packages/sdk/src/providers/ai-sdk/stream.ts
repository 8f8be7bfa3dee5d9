import { isObject, type JsonObject, type JsonValue, normalise } from '../../protocol/json.ts'
import { parsed } from '../../protocol/parsed.ts'
import type { ModelEvent } from '../provider.ts'
import { ReportedFailure } from '../reported-failure.ts'
import type { Translator } from '../translated.ts'
import type { WireNames } from '../wire-names.ts'
import { generatedFile } from './files.ts'
import { endOf } from './finish.ts'
import type { Beside, PartState } from './state.ts'
import type {
  Finish,
  GeneratedFile,
  ProviderMetadata,
  Source,
  StreamPart,
  ToolCall,
  ToolResult,
  WithMetadata,
} from './stream-part.ts'
import { modelUsage } from './usage.ts'
import { modelWarning } from './warnings.ts'

/** A text, a thought or a call that is still growing. */
interface Block {
  /** Absent while it has no part: an empty text never gets one. */
  part?: number
  metadata?: ProviderMetadata
  /** A call's input so far. */
  input: string
  /** A call that the provider runs. */
  executed?: boolean
}

type Opening = Pick<ToolCall, 'toolName' | 'providerExecuted' | 'providerMetadata'>

/** The stream of one reply, from the parts of an AI SDK model to our events. Errors among them never get here. */
export class ReplyStream implements Translator<StreamPart> {
  readonly #provider: string
  readonly #names: WireNames
  /** By kind and id: a vendor may count its texts and its thoughts apart. */
  readonly #blocks = new Map<string, Block>()
  readonly #calls = new Map<string, Block>()
  readonly #beside: Beside[] = []
  #parts = 0
  #files = 0
  #model: string | undefined

  constructor(provider: string, names: WireNames) {
    this.#provider = provider
    this.#names = names
  }

  push(part: StreamPart, events: ModelEvent[]): void {
    // Most parts first.
    switch (part.type) {
      case 'text-delta':
        return this.#grow('text', part, events)
      case 'reasoning-delta':
        return this.#grow('reasoning', part, events)
      case 'tool-input-delta':
        return this.#growInput(part, events)
      case 'text-start':
      case 'reasoning-start':
        return this.#start(part, events)
      case 'text-end':
        return this.#end('text', part, events)
      case 'reasoning-end':
        return this.#end('reasoning', part, events)
      case 'tool-input-start':
        this.#open(part.id, part, events)
        return
      case 'tool-input-end':
        return remember(this.#calls.get(part.id), part.providerMetadata)
      case 'tool-call':
        return this.#complete(part, events)
      case 'tool-result':
        return this.#answer(part, events)
      case 'tool-approval-request':
        return this.#refuseApproval(part.toolCallId, events)
      case 'source':
        return cite(part, events)
      case 'file':
      case 'reasoning-file':
        return this.#draw(part, events)
      case 'custom':
        return this.#keep({ type: 'custom', kind: part.kind, ...this.#place(part) }, events)
      case 'stream-start':
        events.push(...part.warnings.map(modelWarning))
        return
      case 'response-metadata':
        if (typeof part.modelId === 'string') this.#model = part.modelId
        return
      case 'finish':
        return this.#finish(part, events)
    }
  }

  /** Without its last part a reply is cut. */
  end(): void {}

  /** A thought that may be sealed altogether is shown where it begins, so that it keeps its place. */
  #start(part: Extract<StreamPart, { type: 'text-start' | 'reasoning-start' }>, events: ModelEvent[]): void {
    const kind = part.type === 'text-start' ? 'text' : 'reasoning'
    const block: Block = { input: '', ...metadataOf(part.providerMetadata) }
    this.#blocks.set(`${kind} ${part.id}`, block)
    if (kind === 'reasoning' && block.metadata !== undefined) this.#say(kind, block, '', events)
  }

  #grow(
    kind: 'text' | 'reasoning',
    { id, delta, providerMetadata }: { readonly id: string; readonly delta: string } & WithMetadata,
    events: ModelEvent[],
  ): void {
    const block = this.#blocks.get(`${kind} ${id}`) ?? { input: '' }
    this.#blocks.set(`${kind} ${id}`, block)
    remember(block, providerMetadata)
    if (delta !== '') this.#say(kind, block, delta, events)
  }

  #say(type: 'text' | 'reasoning', block: Block, text: string, events: ModelEvent[]): void {
    block.part ??= this.#parts++
    events.push({ type, part: block.part, text })
  }

  #end(
    kind: 'text' | 'reasoning',
    { id, providerMetadata }: { readonly id: string } & WithMetadata,
    events: ModelEvent[],
  ): void {
    const block = this.#blocks.get(`${kind} ${id}`)
    if (block === undefined) return
    remember(block, providerMetadata)
    // Its id may come again, for another block.
    this.#blocks.delete(`${kind} ${id}`)
    this.#seal(kind, block, events)
  }

  #seal(kind: 'text' | 'reasoning', block: Block, events: ModelEvent[]): void {
    if (block.metadata === undefined) return
    if (block.part === undefined && kind === 'reasoning') this.#say(kind, block, '', events)
    if (block.part !== undefined) events.push(state(block.part, { metadata: block.metadata }))
  }

  #open(
    id: string,
    { toolName, providerExecuted, providerMetadata }: Opening,
    events: ModelEvent[],
  ): Block & { readonly part: number } {
    const executed = providerExecuted === true
    const call = { part: this.#parts++, input: '', executed, ...metadataOf(providerMetadata) }
    this.#calls.set(id, call)
    events.push({
      type: 'tool-input',
      part: call.part,
      id,
      name: executed ? toolName : this.#names.fromWire(toolName),
      text: '',
      ...(executed && { executed: 'provider' as const }),
    })
    return call
  }

  #growInput(part: Extract<StreamPart, { type: 'tool-input-delta' }>, events: ModelEvent[]): void {
    const call = this.#calls.get(part.id)
    if (call?.part === undefined) return
    remember(call, part.providerMetadata)
    if (part.delta === '') return
    call.input += part.delta
    events.push({ type: 'tool-input', part: call.part, text: part.delta })
  }

  /** The call as it counts: its input may differ from the deltas, which are for watching. */
  #complete(call: ToolCall, events: ModelEvent[]): void {
    const block = this.#calls.get(call.toolCallId) ?? this.#open(call.toolCallId, call, events)
    const part = block.part as number
    const input = inputText(call.input)
    remember(block, call.providerMetadata)
    // Where it says so only now, it must not be run here as well.
    if (call.providerExecuted && !block.executed)
      events.push({ type: 'tool-input', part, text: '', executed: 'provider' })
    if (block.input === '') events.push({ type: 'tool-input', part, text: input })
    const value = block.input === '' || block.input === input ? undefined : parsed(input)
    events.push({ type: 'tool-input-end', part, ...(isObject(value) && { input: value as JsonObject }) })
    if (block.metadata !== undefined) events.push(state(part, { metadata: block.metadata }))
  }

  #answer(result: ToolResult, events: ModelEvent[]): void {
    if (result.preliminary) return
    const part = (this.#calls.get(result.toolCallId) ?? this.#show(result, events)).part as number
    events.push({ type: 'tool-output', part, output: normalise(result.result) })
    const isError = result.isError === true && { isError: true as const }
    this.#keep({ type: 'result', part, ...isError, ...this.#place(result) }, events)
  }

  /** The result of a call in an earlier reply gets a part of its own. */
  #show({ toolCallId, toolName }: ToolResult, events: ModelEvent[]): Block {
    const block = this.#open(toolCallId, { toolName, providerExecuted: true }, events)
    events.push(
      { type: 'tool-input', part: block.part, text: '{}' },
      { type: 'tool-input-end', part: block.part, input: {} },
      state(block.part, { shown: true }),
    )
    return block
  }

  #refuseApproval(toolCallId: string, events: ModelEvent[]): void {
    const message = `${this.#provider} waits for an approval of its call ${toolCallId}, which cannot be given from here. Set up the tool to need none`
    events.push({ type: 'warning', code: 'ai-sdk.approval', message })
  }

  #draw(part: GeneratedFile, events: ModelEvent[]): void {
    const file = generatedFile(part)
    events.push(file)
    if (file.type === 'file') this.#keep({ type: part.type, file: this.#files++, ...this.#place(part) }, events)
  }

  #place({ providerMetadata }: WithMetadata): Pick<Beside, 'after' | 'metadata'> {
    return { after: this.#parts, ...metadataOf(providerMetadata) }
  }

  #keep(entry: Beside, events: ModelEvent[]): void {
    this.#beside.push(entry)
    events.push({ type: 'state', state: { beside: [...this.#beside] } as JsonValue })
  }

  #finish(finish: Finish, events: ModelEvent[]): void {
    const end = endOf(finish)
    const usage = modelUsage(finish, this.#parts + this.#files > 0, this.#provider)
    if (end === undefined || end === 'failed') {
      if (Object.keys(usage).length > 0) events.push({ type: 'usage', usage })
      if (end === undefined) return
      const message = `${this.#provider} gave up in the middle of its reply`
      throw new ReportedFailure(this.#provider, { message, type: rawReason(finish) }, this.#parts > 0)
    }
    for (const [key, block] of this.#blocks) this.#seal(key.startsWith('text') ? 'text' : 'reasoning', block, events)
    events.push({ type: 'done', ...end, usage, ...(this.#model !== undefined && { model: this.#model }) })
  }
}

/** The last metadata of a block counts; a part without any takes nothing back. */
function remember(block: Block | undefined, metadata: ProviderMetadata | undefined | null): void {
  if (block !== undefined) Object.assign(block, metadataOf(metadata))
}

function metadataOf(metadata: ProviderMetadata | undefined | null): { metadata?: ProviderMetadata } {
  return metadata ? { metadata: normalise(metadata) as ProviderMetadata } : {}
}

function state(part: number, value: PartState): ModelEvent {
  return { type: 'state', part, state: value as JsonValue }
}

/** Text as the specification has it; some providers give the object itself. */
function inputText(input: unknown): string {
  if (typeof input !== 'string') return JSON.stringify(input ?? {})
  return input.trim() === '' ? '{}' : input
}

function cite({ id, url, title }: Source, events: ModelEvent[]): void {
  const source = { sourceId: id, ...(url !== undefined && { url }), ...(title && { title }) }
  events.push({ type: 'source', source })
}

function rawReason({ finishReason }: Finish): string {
  return (typeof finishReason === 'object' ? finishReason.raw : undefined) ?? 'error'
}
