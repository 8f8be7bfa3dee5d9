import { type Attributes, type Context, context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { ToolAroundHook } from '../plugins/hook-events.ts'
import { type AgentEvent, type FinishEvent, isDelta, type TurnStartEvent } from '../protocol/events.ts'
import type { ToolResult } from '../protocol/messages.ts'
import { modelView } from '../protocol/model-view.ts'
import type { SessionState } from '../protocol/state.ts'
import { AttemptSpan } from './attempt-span.ts'
import {
  AGENT_NAME,
  CONVERSATION,
  ERROR_TYPE,
  modelAttributes,
  OPERATION,
  OTHER_ERROR,
  TOOL_NAME,
  usageAttributes,
} from './attributes.ts'
import type { Measures } from './metrics.ts'
import { SCOPE } from './scope.ts'
import { spanEvent } from './span-events.ts'

export interface TraceOptions {
  readonly events: boolean
  readonly content: boolean
}

/** The spans of one run, from its events: the run, its turns, their attempts, and the tools. */
export class RunTrace {
  readonly #sessionId: string
  readonly #options: TraceOptions
  readonly #measures: Measures
  readonly #tracer = trace.getTracer(SCOPE)
  readonly #startedAt: number
  readonly #agent: Attributes
  readonly #span: Span
  readonly #context: Context
  #turn: { readonly number: number; readonly span: Span; readonly context: Context } | undefined
  #attempt: AttemptSpan | undefined
  readonly #tools = new Map<string, Span>()

  /** `isResumed`: another process began it, or this one before it gave the run up. */
  constructor(
    runId: string,
    at: number,
    state: SessionState,
    { isResumed, measures, ...options }: TraceOptions & { readonly isResumed: boolean; readonly measures: Measures },
  ) {
    const { agent, agentVersion, model } = state.run?.config ?? {}
    this.#sessionId = state.id
    this.#options = options
    this.#measures = measures
    this.#startedAt = at
    this.#agent = agent === undefined ? {} : { [AGENT_NAME]: agent }
    const attributes: Attributes = {
      [OPERATION]: 'invoke_agent',
      ...(model && modelAttributes(model)),
      ...this.#agent,
      ...(agentVersion !== undefined && { 'gen_ai.agent.version': agentVersion }),
      [CONVERSATION]: state.id,
      'stepwell.run.id': runId,
      ...(isResumed && { 'stepwell.run.resumed': true }),
    }
    const name = agent === undefined ? 'invoke_agent' : `invoke_agent ${agent}`
    const parent = context.active()
    this.#span = this.#tracer.startSpan(name, { kind: SpanKind.INTERNAL, startTime: at, attributes }, parent)
    this.#context = trace.setSpan(parent, this.#span)
  }

  /** Takes the run's next event, with the state after it. True when it was the last. */
  take(event: AgentEvent, state: SessionState): boolean {
    if (isDelta(event)) {
      this.#attempt?.heard(event.at)
      return false
    }
    this.#explainFailure(event)
    if (this.#options.events) this.#tell(event)
    switch (event.type) {
      case 'turn-start':
        this.#begin(event, state)
        return false
      case 'message':
        if (this.#options.content && event.message.role === 'assistant') this.#attempt?.said(event.message)
        return false
      case 'usage':
        this.#attempt?.over(event)
        return false
      case 'tool-result':
        this.#endTool(event.result)
        return false
      case 'finish':
        this.#finish(event)
        return true
      default:
        return false
    }
  }

  /** Runs a tool within a span of its own: what it traces are children of that. */
  aroundTool(
    { callId, toolName, effect, turn, input }: ToolAroundHook,
    execute: () => Promise<unknown>,
  ): Promise<unknown> {
    const parent = this.#turn?.number === turn ? this.#turn.context : this.#context
    const attributes: Attributes = {
      [OPERATION]: 'execute_tool',
      [TOOL_NAME]: toolName,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': callId,
      ...this.#agent,
      [CONVERSATION]: this.#sessionId,
      'stepwell.tool.effect': effect,
      ...(this.#options.content && { 'gen_ai.tool.call.arguments': JSON.stringify(input) }),
    }
    const span = this.#tracer.startSpan(`execute_tool ${toolName}`, { kind: SpanKind.INTERNAL, attributes }, parent)
    this.#tools.set(callId, span)
    return context.with(trace.setSpan(parent, span), execute)
  }

  /** Nothing more of the run is seen here. It may go on elsewhere. */
  leave(): void {
    this.#endTurn()
    this.#span.setAttribute('stepwell.run.left', true)
    this.#span.end()
  }

  #begin(event: TurnStartEvent, state: SessionState): void {
    const { turn: number, at } = event
    if (this.#turn?.number !== number) {
      this.#endTurn(at)
      const attributes = { 'stepwell.turn': number }
      const span = this.#tracer.startSpan('turn', { kind: SpanKind.INTERNAL, startTime: at, attributes }, this.#context)
      this.#turn = { number, span, context: trace.setSpan(this.#context, span) }
    }
    // What an attempt that came to nothing had started has no result.
    this.#leaveTools()
    this.#attempt?.leave()
    this.#attempt = new AttemptSpan(event, this.#tracer, this.#measures, {
      sessionId: this.#sessionId,
      parent: this.#turn.context,
      sent: this.#options.content ? modelView(state.history) : undefined,
    })
  }

  /** An attempt that failed says so in its usage; why is in what comes next, or, where another model takes over, before. */
  #explainFailure(event: AgentEvent): void {
    const code = failureCode(event)
    if (code !== undefined) this.#attempt?.explain(code)
  }

  #tell(event: AgentEvent): void {
    const told = spanEvent(event)
    if (told) (this.#turn?.span ?? this.#span).addEvent(told.name, told.attributes, event.at)
  }

  #endTool({ callId, toolName, outcome, code, durationMs, output }: ToolResult): void {
    const span = this.#tools.get(callId)
    if (span === undefined) return
    this.#tools.delete(callId)
    const isFailed = outcome === 'error' || outcome === 'timeout' || outcome === 'unknown'
    const error: Attributes = isFailed ? { [ERROR_TYPE]: code ?? outcome } : {}
    span.setAttributes({
      'stepwell.tool.outcome': outcome,
      ...error,
      ...(this.#options.content && { 'gen_ai.tool.call.result': JSON.stringify(output) }),
    })
    if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
    this.#measures.tool(durationMs, { [TOOL_NAME]: toolName, ...this.#agent, ...error })
  }

  #leaveTools(): void {
    for (const span of this.#tools.values()) span.end()
    this.#tools.clear()
  }

  #endTurn(at?: number): void {
    this.#leaveTools()
    this.#attempt?.leave()
    this.#attempt = undefined
    this.#turn?.span.end(at)
    this.#turn = undefined
  }

  #finish({ at, reason, error, usage }: FinishEvent): void {
    this.#endTurn(at)
    const isFailed = reason === 'error' || reason === 'interrupted'
    const failure: Attributes = isFailed
      ? { [ERROR_TYPE]: error?.code ?? (reason === 'error' ? OTHER_ERROR : reason) }
      : {}
    this.#span.setAttributes({ 'stepwell.run.reason': reason, ...failure, ...usageAttributes(usage.run) })
    if (isFailed) this.#span.setStatus({ code: SpanStatusCode.ERROR })
    this.#span.end(at)
    this.#measures.run(at - this.#startedAt, { ...this.#agent, ...failure })
  }
}

/** Why the attempt before failed, where an event tells. */
function failureCode(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'activity':
      return event.activity?.kind === 'retrying' ? event.activity.error.code : undefined
    case 'notice': {
      const code = event.code === 'model.fallback' ? event.details?.code : undefined
      return typeof code === 'string' ? code : undefined
    }
    case 'finish':
      return event.error?.code
    default:
      return undefined
  }
}
