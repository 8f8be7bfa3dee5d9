import { type EffectDescription, type Tool, ToolError } from '@stepwell/sdk'

/** Shows a person what would be done and asks whether it may. */
export type Confirm = (effect: EffectDescription, signal: AbortSignal) => Promise<boolean>

/** Where nobody can be asked, nothing is allowed. */
export const nobody: Confirm = async () => {
  throw new ToolError('tool.denied', 'Not done: nobody is here to allow it. Say what you would have done.')
}

/** The tool, asking before it does anything. The time a person takes is not the tool's: it keeps its own. */
export function askFirst<Input>(tool: Tool<Input>, confirm: Confirm): Tool<Input> {
  return {
    ...tool,
    timeoutMs: 0,
    async execute(input, ctx) {
      const effect = (await tool.describeEffect?.(input)) ?? { title: tool.name }
      if (!(await confirm(effect, ctx.signal))) {
        throw new ToolError('tool.denied', 'Not done: the person said no. Ask what they want instead.')
      }
      return tool.execute?.(input, ctx)
    },
  }
}
