import type { RunSettings } from '../protocol/commands.ts'
import { ConfigError, StepwellError, thrownText } from '../protocol/errors.ts'
import type { RunConfig } from '../protocol/events.ts'
import { defined } from '../protocol/fields.ts'
import { type JsonObject, normalise } from '../protocol/json.ts'
import type { ModelRef } from '../protocol/messages.ts'
import type { PermissionPolicy } from '../protocol/permissions.ts'
import type { SessionState } from '../protocol/state.ts'
import { shortHash } from '../providers/hash.ts'
import type { FunctionTool, ModelProvider } from '../providers/provider.ts'
import type { AgentRuntime, RunTools } from './runtime.ts'

/** What a run needs before it can be recorded: the app's values and what follows from them. */
export interface Prepared {
  readonly context: unknown
  readonly instructions: string | undefined
  readonly tools: RunTools
  readonly permissions: PermissionPolicy | undefined
  /** Every tool, enabled or not, as the model would be told. */
  readonly declarations: ReadonlyMap<string, FunctionTool>
  /** Why the run cannot go on. It is recorded all the same, and ends with this error. */
  readonly problem: StepwellError | undefined
}

/** Never rejects: what the app's functions throw becomes the run's `problem`. */
export async function prepareRun(runtime: AgentRuntime, sessionId: string, by: string | undefined): Promise<Prepared> {
  let context: unknown
  try {
    context = await runtime.context({ sessionId, ...(by !== undefined && { by }) })
    const { instructions } = runtime
    const text = typeof instructions === 'function' ? await instructions(context) : instructions
    if (text !== undefined && typeof text !== 'string') {
      throw new ConfigError('config.invalid', 'The function given as instructions has to give a text.')
    }
    const own = { context, instructions: text, tools: runtime.tools(), permissions: runtime.permissions }
    const prepared = runtime.plugins.length > 0 ? await (await import('./hooks.ts')).withPlugins(runtime, own) : own
    return { context, ...prepared, declarations: await declare(prepared.tools), problem: undefined }
  } catch (thrown) {
    const problem =
      thrown instanceof StepwellError
        ? thrown
        : new ConfigError(
            'config.invalid',
            `The agent's tools, context or instructions failed: ${thrownText(thrown)}`,
            {
              cause: thrown,
            },
          )
    return { ...NOTHING_PREPARED, context, problem }
  }
}

/** For a run that only has to be closed. */
export const NOTHING_PREPARED: Prepared = {
  context: undefined,
  instructions: undefined,
  tools: { own: new Map(), provider: [] },
  permissions: undefined,
  declarations: new Map(),
  problem: undefined,
}

const declared = new WeakMap<RunTools, ReadonlyMap<string, FunctionTool>>()

/** A fixed list is declared once, at its first run. */
async function declare(tools: RunTools): Promise<ReadonlyMap<string, FunctionTool>> {
  const known = declared.get(tools)
  if (known !== undefined) return known
  const declarations = new Map<string, FunctionTool>()
  for (const [name, { description, input }] of tools.own) {
    declarations.set(name, { type: 'function', name, description, inputSchema: await input.jsonSchema() })
  }
  declared.set(tools, declarations)
  return declarations
}

/** What `run-start` records. Instructions are written out the first time a session meets them. */
export function runConfig(
  runtime: AgentRuntime,
  prepared: Prepared,
  state: SessionState,
  options: RunSettings = {},
): RunConfig {
  const { instructions } = prepared
  const instructionsHash = instructions === undefined ? undefined : shortHash(instructions)
  const isNew = instructionsHash !== undefined && !state.instructions.includes(instructionsHash)
  const tools = [...prepared.declarations].map(([name, tool]) => [name, shortHash(JSON.stringify(tool))])
  const settings = { ...runtime.settings, ...options.settings }
  const graceTurns = options.graceTurns ?? runtime.graceTurns
  return defined({
    agent: runtime.name,
    agentVersion: runtime.version,
    instructionsHash,
    instructions: isNew ? instructions : undefined,
    tools: tools.length > 0 ? Object.fromEntries(tools) : undefined,
    model: modelRef(runtime.model),
    settings: Object.keys(settings).length > 0 ? (normalise(settings) as JsonObject) : undefined,
    maxTurns: options.maxTurns ?? runtime.maxTurns,
    unattended: (options.unattended ?? runtime.unattended) || undefined,
    graceTurns: graceTurns || undefined,
    output: options.output,
    limits: options.limits,
    metadata: options.metadata,
  })
}

export function modelRef({ id, model, api }: ModelProvider): ModelRef {
  return { provider: id, model, api }
}
