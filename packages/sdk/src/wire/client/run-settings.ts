import type { RunSettings } from '../../protocol/commands.ts'
import type { RunOptions } from '../../protocol/session.ts'
import type { Http } from './http.ts'

/** What a command carries of a run's options. Rejects with `tool.invalid-schema`; the rest is the server's to check. */
export async function runSettings(http: Http, options: RunOptions): Promise<RunSettings | undefined> {
  const { signal: _signal, by: _by, commandId: _commandId, output, ...settings } = options
  if (output !== undefined) {
    const { toolInputSchema } = await http.late(() => import('../../tools/schema.ts'))
    return { ...settings, output: { schema: await toolInputSchema('output', output).jsonSchema() } }
  }
  return Object.keys(settings).length > 0 ? settings : undefined
}
