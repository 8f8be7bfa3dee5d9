import { createAgent } from '../agent/create-agent.ts'
import type { AgentOptions } from '../agent/runtime.ts'
import type { AgentEvent } from '../protocol/events.ts'
import type { AssistantMessage, ToolCallPart, ToolResult } from '../protocol/messages.ts'
import type { SessionState } from '../protocol/state.ts'
import { memoryStore } from '../stores/memory.ts'
import type { SessionStore } from '../stores/store.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { type ScriptedStep, scriptedModel } from './scripted-model.ts'

export type WorldOptions = Partial<Omit<AgentOptions, 'clock'>> & { readonly clock?: ManualClock }

/** An agent whose model follows a script, on a clock that stands still, with ids that count and no jitter. */
export function agentWorld(steps: readonly ScriptedStep[], options: WorldOptions = {}) {
  const clock = options.clock ?? manualClock(1_000_000)
  const store = options.store ?? memoryStore({ now: clock.now })
  const model = scriptedModel(steps)
  const minted: Record<string, number> = {}
  const ids = (prefix: string): string => {
    minted[prefix] = (minted[prefix] ?? 0) + 1
    return `${prefix}_${minted[prefix]}`
  }
  const agent = createAgent({ model, ids, random: () => 0, ...options, clock, store })
  return { agent, clock, store, model, session: (id = 's') => agent.session(id) }
}

export async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const collected: AgentEvent[] = []
  for await (const event of events) collected.push(event)
  return collected
}

/** Reads a run to its end and lets time pass where it waits to retry. */
export async function collectPatiently(events: AsyncIterable<AgentEvent>, clock: ManualClock): Promise<AgentEvent[]> {
  const collected: AgentEvent[] = []
  for await (const event of events) {
    collected.push(event)
    if (event.type === 'activity' && event.activity?.kind === 'retrying') clock.advance(event.activity.delayMs)
  }
  return collected
}

/** Their types in order, deltas in a row once. */
export function types(events: readonly AgentEvent[]): string[] {
  return events.map(({ type }) => type).filter((type, i, all) => !(type.endsWith('-delta') && type === all[i - 1]))
}

export function ofType<T extends AgentEvent['type']>(
  events: readonly AgentEvent[],
  type: T,
): Extract<AgentEvent, { type: T }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type)
}

export async function storedEvents(store: SessionStore, id = 's'): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const batch of store.read(id)) events.push(...batch)
  return events
}

/** Resolves with the first state that fits, now or later. */
export function stateWhere(
  session: { readonly state: SessionState; subscribe(listener: (state: SessionState) => void): () => void },
  fits: (state: SessionState) => boolean,
): Promise<SessionState> {
  return new Promise((resolve) => {
    if (fits(session.state)) return resolve(session.state)
    const unsubscribe = session.subscribe((state) => {
      if (!fits(state)) return
      unsubscribe()
      resolve(state)
    })
  })
}

/** The results of every call in the history, in call order. */
export function results({ history }: SessionState): ToolResult[] {
  return history
    .filter((message): message is AssistantMessage => message.role === 'assistant')
    .flatMap(({ parts }) => parts)
    .filter((part): part is ToolCallPart => part.type === 'tool-call')
    .flatMap(({ result }) => result ?? [])
}
