import { ToolError } from '../protocol/errors.ts'
import type { ToolProgress } from '../protocol/events.ts'
import { outputText } from '../protocol/text.ts'
import { asJson } from './as-json.ts'
import type { Tool, ToolContext } from './tool.ts'

/**
 * Calls `execute` and gives what it returns, or what its iterable returns at the end: what that yields is live output.
 * When nobody waits any more (`isOver`), the iterable is closed at its next yield.
 */
export async function invoke(tool: Tool, input: unknown, ctx: ToolContext, isOver: () => boolean): Promise<unknown> {
  if (tool.execute === undefined) {
    throw new ToolError('tool.failed', `it has no execute, so it has to be answered from outside`)
  }
  const value: unknown = await tool.execute(input, ctx)
  if (!isAsyncIterable(value)) return value

  const iterator = value[Symbol.asyncIterator]()
  for (;;) {
    const step = await iterator.next()
    if (step.done) return step.value
    if (isOver()) {
      await iterator.return?.()
      return undefined
    }
    await yielded(step.value, ctx)
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown, unknown> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, Symbol.asyncIterator) === 'function'
}

/** Text, `{ text?, progress? }`, or anything else as JSON. */
async function yielded(value: unknown, ctx: ToolContext): Promise<void> {
  if (isOutput(value)) ctx.output(value.text ?? '', value.progress)
  else if (value !== undefined) ctx.output(outputText(await asJson(value)))
}

function isOutput(value: unknown): value is { readonly text?: string; readonly progress?: ToolProgress } {
  if (typeof value !== 'object' || value === null) return false
  return 'progress' in value ? typeof value.progress === 'object' : 'text' in value && typeof value.text === 'string'
}
