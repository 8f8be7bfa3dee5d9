import type { ResolveCommand } from '../protocol/commands.ts'
import type { SessionState } from '../protocol/state.ts'
import type { Tool } from '../tools/tool.ts'
import { refused, type Verdict } from './judge.ts'
import type { AgentRuntime } from './runtime.ts'

/** What cannot be looked at now is looked at before it runs. */
function ownTool(tools: AgentRuntime['tools'], name: string): Tool | undefined {
  try {
    return tools().own.get(name)
  } catch {
    return undefined
  }
}

/** An edited input has to fit its tool, like the model's own: the verdict on one that does not. */
export async function refuseEdit(
  { tools }: AgentRuntime,
  { pending }: SessionState,
  command: ResolveCommand,
): Promise<Verdict | undefined> {
  const editedInput = command.resolution?.editedInput
  const request = pending.requests.find(({ id }) => id === command.requestId)
  const tool = request?.tool && ownTool(tools, request.tool.name)
  if (tool === undefined || typeof editedInput !== 'object') return undefined
  const checked = await tool.input.validate(editedInput)
  if (checked.ok) return undefined
  const issues = checked.issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
  return refused(command, 'request.invalid-answer', `The edited input does not fit the tool "${tool.name}": ${issues}`)
}
