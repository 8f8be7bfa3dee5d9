import { isObject, type JsonObject } from '../protocol/json.ts'
import { truncateText } from '../tools/truncate.ts'
import type { HookEvent } from './hook-events.ts'
import type { HookContext, HookName, Hooks, Plugin } from './plugin.ts'
import { type HookProgram, runProgram } from './run-program.node.ts'

export type { HookProgram } from './run-program.node.ts'

/** UTF-16 units of what a program says that are told to the model or to people. */
const MAX_REASON = 10_000

export interface CommandPlugin extends Pick<Plugin, 'name' | 'priority' | 'timeoutMs'> {
  /** The program for each hook. `tool:around` has to happen in this process, and has none. */
  readonly hooks: { readonly [Hook in Exclude<HookName, 'tool:around'>]?: HookProgram }
}

/**
 * A plugin whose hooks are programs, in whatever language. Each call of a hook starts its program, which gets the hook's
 * event as one line of JSON on standard input, and answers:
 *
 * - exit code 0: what it wrote to standard output is what the hook gives, as a JSON object; nothing at all gives nothing.
 * - exit code 2: no. `tool:before` refuses the call and `verify:stop` sends the model back, with what the program wrote to
 *   standard error as the reason. For other hooks this is a failure as well.
 * - anything else is a failure of the hook: another exit code, other output, more than 1 MiB of it, a program that cannot
 *   be started, or one that takes longer than `timeoutMs`. It is killed then, with what it started, and also when the run
 *   is stopped.
 */
export function commandPlugin({ hooks, ...plugin }: CommandPlugin): Plugin {
  const calls = Object.entries(hooks).map(([hook, program]) => [
    hook,
    (event: HookEvent, { signal }: HookContext) => answer(event, program, signal),
  ])
  // What programs give is checked when it is there, like what any hook gives.
  return { ...plugin, hooks: Object.fromEntries(calls) as Hooks }
}

async function answer(event: HookEvent, program: HookProgram, signal: AbortSignal): Promise<JsonObject | undefined> {
  const { code, stdout, stderr } = await runProgram(program, `${JSON.stringify(event)}\n`, signal)
  const said = truncateText(stderr.trim(), MAX_REASON)
  if (code === 2 && event.hook === 'tool:before') return { block: said || 'it gives no reason.' }
  if (code === 2 && event.hook === 'verify:stop') return { sendBack: said || 'This is not done yet. Go on.' }
  if (code !== 0) throw new Error(`${program.command} ended with ${code}${said && `: ${said}`}`)
  return parsed(program, stdout.trim())
}

function parsed({ command }: HookProgram, text: string): JsonObject | undefined {
  if (text === '') return undefined
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    // Told below.
  }
  if (isObject(given)) return given
  throw new Error(`${command} wrote something else than one JSON object: ${text.slice(0, 200).toWellFormed()}`)
}
