import {
  type AgentEvent,
  type JsonObject,
  type Message,
  type ModelRef,
  modelView,
  type RunConfig,
  type SessionState,
  type StopReason,
  type TurnStartEvent,
  type Usage,
} from '@stepwell/sdk'

/** One attempt at a model call. */
export interface ModelCall {
  /** Index of its `turn-start` among the events. */
  readonly index: number
  readonly start: TurnStartEvent
  /** Absent while it is under way. */
  readonly usage?: Usage
  readonly stop?: StopReason
  readonly durationMs?: number
}

/** The model calls of a log, oldest first. */
export function modelCalls(events: readonly AgentEvent[]): ModelCall[] {
  const calls: ModelCall[] = []
  events.forEach((event, index) => {
    if (event.type === 'turn-start') calls.push({ index, start: event })
    if (event.type !== 'usage') return
    const last = calls.at(-1)
    if (last === undefined || last.usage !== undefined) return
    const { call, stop, at } = event
    calls[calls.length - 1] = { ...last, usage: call, stop, durationMs: at - last.start.at }
  })
  return calls
}

/** What a model call was made of. The provider writes it in the form of its API. */
export interface SentRequest {
  readonly model: ModelRef
  readonly purpose: TurnStartEvent['purpose']
  readonly instructions?: string
  readonly tools: readonly string[]
  readonly settings?: JsonObject
  readonly messages: readonly Message[]
}

/** `before` is the state that the call was made from. */
export function sentRequest(events: readonly AgentEvent[], { start }: ModelCall, before: SessionState): SentRequest {
  const config = before.run?.config ?? {}
  const instructions = instructionsOf(events, config)
  return {
    model: start.model,
    purpose: start.purpose,
    ...(instructions !== undefined && { instructions }),
    tools: Object.keys(config.tools ?? {}),
    ...(config.settings && { settings: config.settings }),
    messages: modelView(before.history),
  }
}

/** The log has each text once: where its hash came first. */
function instructionsOf(
  events: readonly AgentEvent[],
  { instructions, instructionsHash }: RunConfig,
): string | undefined {
  if (instructions !== undefined || instructionsHash === undefined) return instructions
  for (const event of events) {
    if (event.type !== 'run-start' || event.config.instructionsHash !== instructionsHash) continue
    if (event.config.instructions !== undefined) return event.config.instructions
  }
  return undefined
}
