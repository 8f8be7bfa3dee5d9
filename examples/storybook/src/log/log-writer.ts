import type {
  Activity,
  AssistantPart,
  ContextUsage,
  EventDraft,
  Finish,
  FinishReason,
  JsonObject,
  Lane,
  Message,
  NoticeCode,
  Request,
  Task,
  ToolCallPart,
  ToolProgress,
  ToolResult,
  UsageTotals,
  UserPart,
} from '@stepwell/sdk'
import { CONFIG, MODEL, priced, sumOf } from './figures.ts'

/** What happens at once, and how long after what happened before. */
export interface Step {
  readonly afterMs: number
  readonly events: readonly EventDraft[]
}

const WORD_MS = 34
const PAUSE_MS = 350
const WRITING = { text: 'text-delta', reasoning: 'reasoning-delta' } as const

/**
 * Writes the log of a session as an owner would: a run at a time, a turn at a time. What it writes folds to what a UI
 * shows, and knows how fast it happened.
 */
export class LogWriter {
  #steps: Step[] = []
  #count = 0
  #runId = ''
  #turn = 0
  #run: UsageTotals = { requests: 0 }
  #total: UsageTotals = { requests: 0 }
  #reply: { readonly id: string; readonly parts: AssistantPart[] } | undefined
  #hasInstructions = false

  constructor(title: string) {
    this.#add(0, { type: 'session-created', v: 1, title })
  }

  /** What was written since it was taken last. */
  take(): Step[] {
    return this.#steps.splice(0)
  }

  /** Messages from before, results inside. */
  earlier(messages: readonly Message[]): void {
    for (let i = 0; i < messages.length; i += 500) {
      this.#add(0, { type: 'history', messages: messages.slice(i, i + 500) })
    }
  }

  /** A person says something, and a run begins. */
  says(content: string | readonly UserPart[], inputId = this.#id('in')): void {
    const parts = partsOf(content)
    this.#runId = this.#id('run')
    this.#turn = 0
    this.#run = { requests: 0 }
    const { instructions, ...known } = CONFIG
    const config = this.#hasInstructions ? known : { ...known, instructions }
    this.#hasInstructions = true
    const runId = this.#runId
    this.#add(
      PAUSE_MS,
      { type: 'input', inputId, parts, lane: 'start' },
      { type: 'run-start', runId, trigger: 'input', inputIds: [inputId], config },
      { type: 'message', runId, message: { role: 'user', id: inputId, at: 0, runId, placed: 'start', parts } },
    )
  }

  /** A person says something while a run is open. */
  waits(text: string, lane: Lane, inputId = this.#id('in')): string {
    this.#add(PAUSE_MS, { type: 'input', inputId, parts: partsOf(text), lane })
    return inputId
  }

  /** The model is asked. */
  turn({ attempt = 1, context }: { readonly attempt?: number; readonly context?: ContextUsage } = {}): void {
    if (attempt === 1) this.#turn++
    const messageId = this.#reply?.id ?? this.#id('msg')
    this.#reply = { id: messageId, parts: [] }
    this.#add(PAUSE_MS, {
      type: 'turn-start',
      runId: this.#runId,
      turn: this.#turn,
      attempt,
      messageId,
      purpose: 'reply',
      model: MODEL,
      ...(context && { context }),
    })
  }

  thinks(text: string): void {
    this.#streams('reasoning', text)
  }

  writes(text: string): void {
    this.#streams('text', text)
  }

  /** The model asks for a tool. The call is in the message once the reply ends. */
  calls(toolName: string, input: JsonObject): string {
    const callId = this.#id('call')
    const part = this.#open().length
    const text = JSON.stringify(input)
    const half = Math.ceil(text.length / 2)
    const delta = { type: 'tool-input-delta', runId: this.#runId, part, callId, toolName } as const
    this.#add(PAUSE_MS, { ...delta, from: 0, text: text.slice(0, half) })
    this.#add(WORD_MS * 4, { ...delta, from: half, text: text.slice(half) })
    this.#open().push({ type: 'tool-call', callId, toolName, input, state: 'ready' } satisfies ToolCallPart)
    return callId
  }

  /** The reply is whole, or all there will be of it. */
  ends({ partial = false, context }: { readonly partial?: boolean; readonly context?: ContextUsage } = {}): void {
    const { id, parts } = this.#reply ?? { id: this.#id('msg'), parts: [] }
    this.#reply = undefined
    const call = priced(parts)
    this.#run = sumOf(this.#run, call)
    this.#total = sumOf(this.#total, call)
    const asked = parts.some(({ type }) => type === 'tool-call')
    const message = { role: 'assistant', id, at: 0, runId: this.#runId, turn: this.#turn, model: MODEL, parts } as const
    this.#add(
      WORD_MS,
      { type: 'message', runId: this.#runId, message: { ...message, ...(partial && { partial }) } },
      {
        type: 'usage',
        runId: this.#runId,
        call,
        run: this.#run,
        total: this.#total,
        model: MODEL.model,
        requestedModel: MODEL.model,
        stop: partial ? 'aborted' : asked ? 'tool-calls' : 'stop',
        ...(context && { context }),
      },
    )
  }

  starts(callId: string, toolName: string, input: JsonObject, effect: 'read' | 'write' = 'write'): void {
    const runId = this.#runId
    this.#add(
      120,
      { type: 'tool-call', runId, callId, toolName, input },
      { type: 'tool-start', runId, callId, toolName, effect },
    )
  }

  prints(callId: string, text: string, progress?: ToolProgress): void {
    this.#add(220, { type: 'tool-output', runId: this.#runId, callId, text, ...(progress && { progress }) })
  }

  returns(callId: string, toolName: string, fields: Partial<ToolResult> = {}): void {
    const result = { callId, toolName, outcome: 'ok', output: 'done', durationMs: 640, ...fields } as const
    this.#add(260, { type: 'tool-result', runId: this.#runId, result })
  }

  asks(request: Omit<Request, 'id' | 'path'>): string {
    const id = this.#id('req')
    this.#add(PAUSE_MS, { type: 'request', runId: this.#runId, request: { id, path: ['demo'], ...request } })
    return id
  }

  notices(code: NoticeCode, text: string): void {
    this.#add(PAUSE_MS, { type: 'notice', runId: this.#runId, code, text })
  }

  activity(activity?: Activity): void {
    this.#add(PAUSE_MS, { type: 'activity', runId: this.#runId, ...(activity && { activity }) })
  }

  task(task: Task, live = false): void {
    this.#add(PAUSE_MS, { type: 'task', task, ...(live && { live: true }) })
  }

  /** Says something that nobody asked for, for instance that a task is over. */
  remarks(text: string): void {
    const note = { role: 'note', id: this.#id('note'), at: 0, kind: 'background', text, toModel: true } as const
    this.#add(PAUSE_MS, { type: 'message', message: note })
  }

  /** Sums up everything before the message. */
  compacts(text: string, keepFrom: string, before: number, after: number): void {
    const note = { role: 'note', id: this.#id('note'), at: 0, kind: 'summary', text, toModel: true, keepFrom } as const
    this.#add(900, {
      type: 'compaction',
      runId: this.#runId,
      trigger: 'threshold',
      method: 'summary',
      before,
      after,
      note,
    })
  }

  finishes(reason: FinishReason = 'stop', fields: Partial<Pick<Finish, 'error' | 'breach'>> = {}): void {
    const usage = { run: this.#run, total: this.#total }
    this.#add(80, { type: 'finish', runId: this.#runId, reason, usage, model: MODEL.model, ...fields })
  }

  /** A whole exchange, as it was some time ago. */
  exchange(question: string, answer: string): void {
    this.says(question)
    this.turn()
    this.writes(answer)
    this.ends()
    this.finishes()
  }

  #streams(type: 'text' | 'reasoning', text: string): void {
    const parts = this.#open()
    const part = parts.length
    let from = 0
    for (const word of text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
      const afterMs = from === 0 ? PAUSE_MS : WORD_MS
      this.#add(afterMs, { type: WRITING[type], runId: this.#runId, part, from, text: word })
      from += word.length
    }
    parts.push({ type, text })
  }

  #open(): AssistantPart[] {
    if (this.#reply === undefined) throw new Error('A reply begins with turn().')
    return this.#reply.parts
  }

  #id(prefix: string): string {
    this.#count++
    return `${prefix}_${this.#count}`
  }

  #add(afterMs: number, ...events: EventDraft[]): void {
    this.#steps.push({ afterMs, events })
  }
}

function partsOf(content: string | readonly UserPart[]): readonly UserPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}
