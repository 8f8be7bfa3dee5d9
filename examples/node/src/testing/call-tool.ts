import { createAgent, type Tool, type ToolResult } from '@stepwell/sdk'
import { scriptedModel } from '@stepwell/sdk/testing'

export interface Called {
  readonly result: ToolResult
  /** What it printed while it ran. */
  readonly output: string
}

/** Calls a tool as an agent does. `onOutput` may stop the run. */
export async function callTool(
  tool: Tool,
  input: Record<string, string | number>,
  onOutput: (text: string, stop: () => void) => void = () => {},
): Promise<Called> {
  const agent = createAgent({ model: scriptedModel([{ calls: [{ name: tool.name, input }] }, 'Done.']), tools: [tool] })
  const stop = new AbortController()
  let output = ''
  let result: ToolResult | undefined
  for await (const event of agent.run('Go.', { signal: stop.signal })) {
    if (event.type === 'tool-result') result = event.result
    if (event.type !== 'tool-output') continue
    output += event.text
    onOutput(output, () => stop.abort())
  }
  await agent.close()
  if (result === undefined) throw new Error(`${tool.name} was never called`)
  return { result, output }
}
