import { checkBudgets } from '../budget/check.ts'
import type { RunSettings } from '../protocol/commands.ts'
import { ConfigError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { AgentSession, RunOptions } from '../protocol/session.ts'
import type { ModelProvider } from '../providers/provider.ts'
import { check, checkTurns } from './check-options.ts'
import { checkSettings } from './check-settings.ts'
import { hostOf } from './host.ts'
import { outputSchema } from './output.ts'
import { ownJson } from './own-json.ts'
import type { AgentRuntime } from './runtime.ts'

/** Options that only a session in this process takes: values that are no data. */
export interface LocalRunOptions extends RunOptions {
  /** For this run in place of the agent's. */
  readonly model?: ModelProvider
  /** Another agent takes this run: its model, instructions, tools and policies. What `createAgent` gave, in this process. */
  readonly agent?: object
}

/** A session in this process. */
export interface Session extends AgentSession {
  run(input: Parameters<AgentSession['run']>[0], options?: LocalRunOptions): ReturnType<AgentSession['run']>
  continue(options?: LocalRunOptions): ReturnType<AgentSession['continue']>
}

/** What a command carries of a run's options. Rejects with `config.invalid` and `tool.invalid-schema`. */
export async function runSettings(options: RunOptions, { budget }: AgentRuntime): Promise<RunSettings> {
  const { maxTurns, graceTurns, unattended, settings, limits, metadata, output } = options
  checkTurns(options)
  checkSettings(options)
  check('limits', limits, Array.isArray, 'a list of budgets')
  if (limits !== undefined) checkBudgets(limits)
  if (limits !== undefined && budget === undefined) {
    throw new ConfigError('config.invalid', 'limits need an agent with a budget: createAgent({ budget: budget([]) }).')
  }
  return {
    ...(maxTurns !== undefined && { maxTurns }),
    ...(graceTurns !== undefined && { graceTurns }),
    ...(unattended !== undefined && { unattended }),
    ...(settings !== undefined && { settings: ownJson(settings) as JsonObject }),
    ...(limits !== undefined && { limits: ownJson(limits) as unknown as typeof limits }),
    ...(metadata !== undefined && { metadata: ownJson(metadata) as JsonObject }),
    ...(output !== undefined && { output: await outputSchema(output) }),
  }
}

/** The agent that takes a run: the session's own, unless another one or another model is named. */
export function runtimeFor(home: AgentRuntime, { agent, model }: LocalRunOptions): AgentRuntime {
  if (agent === undefined && model === undefined) return home
  const other = agent === undefined ? home : hostOf(agent).runtime
  if (model !== undefined && typeof model?.stream !== 'function') {
    throw new ConfigError('config.invalid', 'model has to be a model, for instance openai("gpt-5.2").')
  }
  const { store, bus, clock, ids, random, owner, logger } = home
  const compliance = other.compliance ?? home.compliance
  return { ...other, ...(model && { model, fallbacks: [] }), compliance, store, bus, clock, ids, random, owner, logger }
}
