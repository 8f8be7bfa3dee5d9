import { ToolError } from '../protocol/errors.ts'
import { pathText } from './path-text.ts'

export function invalidSchema(toolName: string, path: readonly PropertyKey[], problem: string): ToolError {
  const at = path.length === 0 ? '' : ` at ${pathText(path)}`
  return new ToolError('tool.invalid-schema', `The input schema of tool "${toolName}" cannot be used${at}: ${problem}`)
}
