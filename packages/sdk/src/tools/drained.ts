import type { ToolProgress } from '../protocol/events.ts'
import { outputText } from '../protocol/text.ts'
import { serialise } from './serialise.ts'
import type { ToolContext } from './tool.ts'

/**
 * What a tool's iterable returns at its end; what it yields is live output. When nobody waits any more (`isOver`), it is
 * closed before it goes on.
 */
export async function drained(
  iterable: AsyncIterable<unknown, unknown>,
  ctx: ToolContext,
  isOver: () => boolean,
): Promise<unknown> {
  const iterator = iterable[Symbol.asyncIterator]()
  for (;;) {
    if (isOver()) {
      await iterator.return?.()
      return undefined
    }
    const step = await iterator.next()
    if (step.done) return step.value
    show(step.value, ctx)
  }
}

/** Text, `{ text?, progress? }`, or anything else as JSON. */
function show(value: unknown, ctx: ToolContext): void {
  if (isOutput(value)) ctx.output(value.text ?? '', value.progress)
  else if (value !== undefined) ctx.output(outputText(serialise(value)))
}

function isOutput(value: unknown): value is { readonly text?: string; readonly progress?: ToolProgress } {
  if (typeof value !== 'object' || value === null) return false
  return 'progress' in value ? typeof value.progress === 'object' : 'text' in value && typeof value.text === 'string'
}
