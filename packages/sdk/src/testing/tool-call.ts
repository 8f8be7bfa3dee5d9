import type { ToolResult } from '../protocol/messages.ts'
import { defineTool, type ToolDefinition } from '../tools/define-tool.ts'
import { type ExecuteOptions, executeCall } from '../tools/execute.ts'
import type { Tool } from '../tools/tool.ts'
import { manualClock } from './manual-clock.ts'

export type Execute = NonNullable<Tool['execute']>

/** A tool called `probe` that takes any object. */
export function tool(execute: Execute, more: Partial<ToolDefinition<unknown, unknown>> = {}): Tool {
  return defineTool({ name: 'probe', description: '', input: { type: 'object' }, execute, ...more })
}

/** Blobs that tell what was put. Their hashes are counted, not computed. */
export function memoryBlobs() {
  const stored = new Map<string, Uint8Array>()
  return {
    stored,
    async put(bytes: Uint8Array) {
      const sha256 = `sha-${stored.size}`
      stored.set(sha256, bytes)
      return { sha256, size: bytes.length }
    },
    get: async (sha256: string) => stored.get(sha256),
  }
}

/** Runs a call by a manual clock, with its live output and its run's controller in reach. */
export function start(
  probe: Tool,
  more: Partial<Omit<ExecuteOptions, 'host'>> & { host?: Partial<ExecuteOptions['host']> } = {},
) {
  const clock = manualClock()
  const controller = new AbortController()
  const output: string[] = []
  let minted = 0
  const result = executeCall({
    tool: probe,
    input: {},
    callId: 'call_1',
    signal: controller.signal,
    clock,
    onOutput: (text) => void output.push(text),
    ...more,
    host: {
      sessionId: 's',
      runId: 'run_1',
      turn: 1,
      context: undefined,
      history: [],
      ids: (prefix) => `${prefix}_${++minted}`,
      blobs: memoryBlobs(),
      ...more.host,
    },
  })
  return { clock, controller, output, result }
}

/** A tool's promise that is never settled. */
export const never = () => new Promise<never>(() => {})
export const run = (execute: Execute, more?: Partial<ToolDefinition<unknown, unknown>>): Promise<ToolResult> =>
  start(tool(execute, more)).result
