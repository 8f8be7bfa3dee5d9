import { checkPlugin } from '../plugins/check-plugin.ts'
import { ConfigError } from '../protocol/errors.ts'
import { toolSet } from '../tools/tool-set.ts'
import type { Prepared } from './prepare.ts'
import type { AgentRuntime } from './runtime.ts'

/** What a run begins with: the agent's own, and what the plugins bring. */
export async function withPlugins(
  { plugins }: AgentRuntime,
  own: Pick<Prepared, 'context' | 'instructions' | 'tools' | 'permissions'>,
): Promise<Pick<Prepared, 'instructions' | 'tools' | 'permissions'>> {
  const all = [...plugins]
  for (const plugin of all) checkPlugin(plugin)
  const texts = own.instructions === undefined ? [] : [own.instructions]
  let { permissions } = own
  for (const { name, instructions, permissions: rules } of all) {
    const text = typeof instructions === 'function' ? await instructions(own.context) : instructions
    if (text !== undefined && typeof text !== 'string') {
      throw new ConfigError('config.invalid', `The instructions of the plugin "${name}" have to be a text.`)
    }
    if (text !== undefined) texts.push(text)
    // That the policy takes them was seen when the plugin was added.
    if (rules !== undefined) permissions = permissions?.withRules?.(rules) ?? permissions
  }
  const tools = all.flatMap(({ tools = [] }) => tools)
  return {
    instructions: texts.length > 0 ? texts.join('\n\n') : undefined,
    tools: tools.length > 0 ? { ...own.tools, own: toolSet([...own.tools.own.values(), ...tools]) } : own.tools,
    permissions,
  }
}
