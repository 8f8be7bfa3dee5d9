import type { RunSettings } from '../../protocol/commands.ts'
import type { RunOptions } from '../../protocol/session.ts'

/** What a command carries of a run's options. Rejects with `tool.invalid-schema`; the rest is the server's to check. */
export async function runSettings(options: RunOptions): Promise<{ options?: RunSettings }> {
  const { signal: _signal, by: _by, commandId: _commandId, output, ...given } = options
  const settings: RunSettings = given
  if (output !== undefined) {
    const { toolInputSchema } = await import('../../tools/schema.ts')
    return { options: { ...settings, output: { schema: await toolInputSchema('output', output).jsonSchema() } } }
  }
  return Object.keys(settings).length > 0 ? { options: settings } : {}
}
