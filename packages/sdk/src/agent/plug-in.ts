import type { Plugin } from '../plugins/plugin.ts'
import { ConfigError } from '../protocol/errors.ts'
import { toolSet } from '../tools/tool-set.ts'
import { checkTools } from './check-options.ts'
import type { AgentRuntime } from './runtime.ts'

/** Gives a plugin its place among the others, and what removes it. Throws `config.invalid` and `tool.duplicate-name`. */
export function plugIn(runtime: AgentRuntime, plugin: Plugin): () => Promise<void> {
  const { plugins } = runtime
  const { name, priority = 0, tools = [], permissions } = plugin
  const refuse = (why: string): never => {
    throw new ConfigError('config.invalid', `The plugin "${name}" ${why}.`)
  }
  if (typeof name !== 'string' || plugins.some((other) => other.name === name)) refuse('needs a name of its own')
  checkTools(tools)
  const brought = [...plugins, plugin].flatMap((one) => one.tools ?? [])
  toolSet([...runtime.tools().own.values(), ...brought])
  if (permissions !== undefined && runtime.permissions?.withRules?.(permissions) === undefined)
    refuse('has permission rules: give the agent permissions()')
  const lower = plugins.findIndex((other) => (other.priority ?? 0) < priority)
  plugins.splice(lower < 0 ? plugins.length : lower, 0, plugin)
  return async () => {
    const at = plugins.indexOf(plugin)
    if (at < 0) return
    plugins.splice(at, 1)
    await (await import('./hooks.ts')).endSessions(runtime, 'removed', { plugin })
  }
}
