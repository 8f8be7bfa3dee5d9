import { askHooks } from '../plugins/ask-hooks.ts'
import type { ToolAroundHook } from '../plugins/hook-events.ts'
import type { Plugin } from '../plugins/plugin.ts'
import { thrownText } from '../protocol/errors.ts'
import type { EventDraft } from '../protocol/events.ts'
import { canonicalJson, isObject, type JsonObject, normalise } from '../protocol/json.ts'
import type { ToolResult } from '../protocol/messages.ts'
import { outputText } from '../protocol/text.ts'
import type { ToolHost } from '../tools/context.ts'
import { prepareCall } from '../tools/prepare.ts'
import { limited } from '../tools/result.ts'
import { cutResult } from './call-result.ts'
import type { Runnable, Step } from './gate.ts'
import { hookHost, runHook } from './hook-host.ts'
import type { RunScope } from './run-scope.ts'

/** What plugins make of a call: the call as it goes on, with what is written down of that, or its result. */
interface Asked {
  readonly call: Runnable
  readonly changes: readonly EventDraft[]
  readonly refusal?: ToolResult
}

/** Asks the plugins about a call, then `decide` about what they made of it. */
export async function beforeTool(
  run: RunScope,
  callId: string,
  given: Runnable,
  decide: (call: Runnable) => Step | Promise<Step>,
): Promise<Step> {
  const { call, changes, refusal } = await askAbout(run, callId, given)
  const step: Step = refusal === undefined ? await decide(call) : { type: 'result', result: refusal }
  return changes.length > 0 ? { ...step, changes } : step
}

/** Why an input that an approver edited may not run; undefined when it may. */
export async function refusedEdit(run: RunScope, callId: string, edited: Runnable): Promise<ToolResult | undefined> {
  const { refusal, changes } = await askAbout(run, callId, edited)
  if (refusal !== undefined || changes.length === 0) return refusal
  return denied(callId, edited, 'a plugin would change the input that a person approved.')
}

async function askAbout(run: RunScope, callId: string, given: Runnable): Promise<Asked> {
  const { tool } = given
  const { name: toolName, effect } = tool
  const changes: EventDraft[] = []
  let call = given
  let refusal: ToolResult | undefined
  const isHeard = await askHooks(hookHost(run), 'tool:before', {
    event: () => ({ hook: 'tool:before', ...runHook(run), callId, toolName, effect, input: call.sent }),
    async take(answer, { name: plugin }) {
      if ('block' in answer) {
        // Whatever it says: it does not let the call pass.
        const reason = typeof answer.block === 'string' ? answer.block : 'it gives no reason.'
        refusal = denied(callId, call, `the plugin "${plugin}" does not allow it: ${reason}`, plugin)
        return 'last'
      }
      if (!isObject(answer.input)) throw new TypeError('it has to give { block }, { input }, or nothing')
      if (canonicalJson(answer.input) === canonicalJson(call.sent)) return undefined
      const changed = await rewritten(run, callId, toolName, answer.input)
      call = { ...changed, ranWith: changed.sent }
      changes.push({ type: 'tool-input-changed', runId: run.id, callId, toolName, input: changed.sent, plugin })
      return undefined
    },
    onFailure({ name: plugin }, why) {
      refusal = denied(callId, call, `the plugin "${plugin}" could not be asked about it: ${why}`, plugin)
      return 'last'
    },
  })
  if (!isHeard) refusal = cutResult({ callId, toolName }, 'the run was stopped')
  return { call, changes, ...(refusal && { refusal }) }
}

/** Throws where the new input does not fit the tool. */
async function rewritten(run: RunScope, callId: string, toolName: string, input: JsonObject): Promise<Runnable> {
  const { prepared, state } = run
  const scope = { context: prepared.context, history: state.history }
  const call = await prepareCall(prepared.tools.own, { callId, toolName, input }, scope)
  if (!call.ok) throw new TypeError(`its input cannot be used. ${outputText(call.result.output)}`)
  return call
}

function denied(callId: string, { tool }: Runnable, why: string, plugin?: string): ToolResult {
  const output = `Denied, and not run: ${why}`
  const by = plugin === undefined ? {} : { metadata: { deniedBy: plugin } }
  return { callId, toolName: tool.name, outcome: 'denied', code: 'tool.denied', output, ...by, durationMs: 0 }
}

/** What runs a tool inside what plugins put around it. */
export function aroundTool(run: RunScope, callId: string, call: Runnable): NonNullable<ToolHost['within']> {
  const { name: toolName, effect } = call.tool
  const event: ToolAroundHook = {
    hook: 'tool:around',
    ...runHook(run),
    callId,
    toolName,
    effect,
    input: call.sent,
  }
  return (execute) =>
    run.runtime.plugins.reduceRight(
      (inner, plugin) => (plugin.hooks?.['tool:around'] ? () => inside(run, plugin, event, inner) : inner),
      execute,
    )()
}

/** Settles as the tool does, whatever the hook does. */
function inside<T>(run: RunScope, plugin: Plugin, event: ToolAroundHook, inner: () => Promise<T>): Promise<T> {
  const fail = (why: string): void => hookHost(run).failed(plugin, 'tool:around', why)
  let running: Promise<T> | undefined
  const execute = (): Promise<T> => {
    running ??= inner()
    return running
  }
  try {
    const over = plugin.hooks?.['tool:around']?.(structuredClone(event), execute)
    if (running !== undefined) {
      // What the tool itself throws is no failure of the hook.
      const mine = (thrown: unknown): unknown =>
        running?.then(
          () => fail(thrownText(thrown)),
          () => {},
        )
      over?.catch(mine)
      return running
    }
    fail('it did not call execute at once')
    over?.catch(() => {})
  } catch (thrown) {
    fail(thrownText(thrown))
  }
  return execute()
}

/** The result as plugins want its output. */
export async function toolOutput(run: RunScope, given: ToolResult): Promise<ToolResult> {
  const { callId, toolName, outcome } = given
  const transformedBy: string[] = []
  let result = given
  await askHooks(hookHost(run), 'transform:tool-output', {
    event: () => ({
      hook: 'transform:tool-output',
      ...runHook(run),
      callId,
      toolName,
      outcome,
      output: result.output,
    }),
    take(answer, { name }) {
      if (answer.output === undefined) throw new TypeError('it has to give { output }, or nothing')
      const output = normalise(answer.output)
      if (canonicalJson(output) === canonicalJson(result.output)) return undefined
      transformedBy.push(name)
      // The whole output that was kept is what it was made from.
      const { full: _full, truncatedTo: _truncatedTo, ...rest } = result
      const max = run.prepared.tools.own.get(toolName)?.maxResultChars ?? Number.POSITIVE_INFINITY
      const { output: kept, truncatedTo } = limited(output, max)
      const metadata = { ...result.metadata, transformedBy: [...transformedBy] }
      result = { ...rest, output: kept, ...(truncatedTo !== undefined && { truncatedTo }), metadata }
      return undefined
    },
  })
  return result
}

/** When the result of a call is in the log. */
export async function afterTool(run: RunScope, result: ToolResult): Promise<void> {
  if (run.isStopping) return
  await askHooks(hookHost(run), 'tool:after', { event: () => ({ hook: 'tool:after', ...runHook(run), result }) })
}
