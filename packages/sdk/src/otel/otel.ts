import type { Plugin } from '../plugins/plugin.ts'
import type { AgentEvent } from '../protocol/events.ts'
import type { SessionState } from '../protocol/state.ts'
import { type Measures, measures } from './metrics.ts'
import { RunTrace } from './run-trace.ts'

export interface OtelOptions {
  /** Tell on the spans what happened meanwhile: requests, answers, retries, notices. Ids and codes alone. Default false. */
  readonly events?: boolean
  /** Write down what was said: messages, inputs and results of tools. Default false. */
  readonly content?: boolean
}

/** Events that show that a run is at work here. What else names a run may be about one that is not. */
const AT_WORK: readonly AgentEvent['type'][] = [
  'run-start',
  'turn-start',
  'tool-call',
  'tool-start',
  'tool-result',
  'finish',
]

/**
 * Traces and measures the runs of an agent with the providers that are registered with `@opentelemetry/api`, by the
 * semantic conventions for GenAI. Register them before the first run. Without any it costs next to nothing.
 */
export function otel({ events = false, content = false }: OtelOptions = {}): Plugin {
  /** Of each session, by run id: ids are unique in their session alone. */
  const sessions = new Map<string, Map<string, RunTrace>>()
  let measured: Measures | undefined

  function traceOf(runId: string, event: AgentEvent, state: SessionState): RunTrace | undefined {
    const runs = sessions.get(state.id) ?? new Map<string, RunTrace>()
    const known = runs.get(runId)
    if (known !== undefined || !AT_WORK.includes(event.type)) return known
    measured ??= measures()
    const isResumed = event.type !== 'run-start'
    const made = new RunTrace(runId, event.at, state, { events, content, isResumed, measures: measured })
    sessions.set(state.id, runs.set(runId, made))
    return made
  }

  return {
    name: 'otel',
    observe(shown, state) {
      for (const event of shown) {
        if (event.runId === undefined) continue
        const isOver = traceOf(event.runId, event, state)?.take(event, state)
        if (!isOver) continue
        const runs = sessions.get(state.id)
        runs?.delete(event.runId)
        if (runs?.size === 0) sessions.delete(state.id)
      }
    },
    hooks: {
      'tool:around'(event, execute) {
        return sessions.get(event.sessionId)?.get(event.runId)?.aroundTool(event, execute) ?? execute()
      },
      'session:end'({ sessionId }) {
        for (const run of sessions.get(sessionId)?.values() ?? []) run.leave()
        sessions.delete(sessionId)
      },
    },
  }
}
