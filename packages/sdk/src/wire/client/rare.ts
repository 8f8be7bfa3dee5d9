import type { RunSettings } from '../../protocol/commands.ts'
import type { RunOptions } from '../../protocol/session.ts'

// What a page that shows a session and sends texts never needs, loaded when it is first needed.
export { uploaded } from './blobs.ts'
export { fork } from './fork.ts'
export { loadBefore } from './older.ts'
export { readEvents } from './reader.ts'
export { runHandle } from './run-handle.ts'
export { settledInput } from './settled.ts'

/** What a command carries of the schema of a run's output. Rejects with `tool.invalid-schema`. */
export async function outputSchema(
  output: NonNullable<RunOptions['output']>,
): Promise<NonNullable<RunSettings['output']>> {
  const { toolInputSchema } = await import('../../tools/schema.ts')
  return { schema: await toolInputSchema('output', output).jsonSchema() }
}
