import { type Attributes, metrics } from '@opentelemetry/api'
import type { Usage } from '../protocol/usage.ts'
import { inputTokens } from './attributes.ts'
import { SCOPE } from './scope.ts'

/** Bucket boundaries that the conventions ask for. */
const TOKENS = Array.from({ length: 14 }, (_, i) => 4 ** i)
const CALL_SECONDS = Array.from({ length: 14 }, (_, i) => 0.01 * 2 ** i)
const RUN_SECONDS = Array.from({ length: 13 }, (_, i) => 0.1 * 2 ** i)
const FIRST_CHUNK_SECONDS = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** What is measured of runs, model calls and tools. Times are given in ms and recorded in seconds. */
export interface Measures {
  run(ms: number, attributes: Attributes): void
  call(ms: number, attributes: Attributes): void
  firstChunk(ms: number, attributes: Attributes): void
  tool(ms: number, attributes: Attributes): void
  tokens(usage: Usage, attributes: Attributes): void
}

/** Of the meter provider that is registered now: one that comes later is not noticed. */
export function measures(): Measures {
  const meter = metrics.getMeter(SCOPE)
  const seconds = (name: string, description: string, explicitBucketBoundaries: number[]) => {
    const histogram = meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries } })
    return (ms: number, attributes: Attributes): void => histogram.record(Math.max(0, ms) / 1_000, attributes)
  }
  const used = meter.createHistogram('gen_ai.client.token.usage', {
    unit: '{token}',
    description: 'Number of input and output tokens used.',
    advice: { explicitBucketBoundaries: TOKENS },
  })
  return {
    run: seconds('gen_ai.invoke_agent.duration', 'The duration of a run.', RUN_SECONDS),
    call: seconds('gen_ai.client.operation.duration', 'GenAI operation duration.', CALL_SECONDS),
    firstChunk: seconds(
      'gen_ai.client.operation.time_to_first_chunk',
      'Time to receive the first chunk of a reply.',
      FIRST_CHUNK_SECONDS,
    ),
    tool: seconds('gen_ai.execute_tool.duration', 'The duration of a single tool execution.', CALL_SECONDS),
    tokens(usage, attributes) {
      // The conventions want what the provider reported, or nothing.
      if (usage.estimated) return
      const counts = { input: inputTokens(usage), output: usage.outputTokens }
      for (const [type, count] of Object.entries(counts)) {
        if (count !== undefined) used.record(count, { ...attributes, 'gen_ai.token.type': type })
      }
    },
  }
}
