import { ToolError } from '../protocol/errors.ts'
import { rare } from './late.ts'
import type { Tool, ToolContext } from './tool.ts'

/** Calls `execute` and gives what it returns, or what its iterable returns at the end. */
export async function invoke(tool: Tool, input: unknown, ctx: ToolContext, isOver: () => boolean): Promise<unknown> {
  if (tool.execute === undefined) {
    throw new ToolError('tool.failed', 'it has no execute, so it has to be answered from outside')
  }
  const value: unknown = await tool.execute(input, ctx)
  return isAsyncIterable(value) ? (await rare()).drained(value, ctx, isOver) : value
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown, unknown> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, Symbol.asyncIterator) === 'function'
}
