import { screenInput, verdictOn } from '../guards/screen.ts'
import type { Command, InputChangeCommand, InputCommand, ResolveCommand } from '../protocol/commands.ts'
import type { ComplianceContext, CompliancePolicy } from '../protocol/compliance.ts'
import { thrownText } from '../protocol/errors.ts'
import type { EventDraft } from '../protocol/events.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { Resolution } from '../protocol/requests.ts'
import type { SessionState } from '../protocol/state.ts'
import { refused, type Verdict } from './judge.ts'
import type { AgentRuntime } from './runtime.ts'

/** The command as it goes on, with what people are told of that; or why it does not. */
export interface Screened {
  readonly command?: Command
  readonly notices?: readonly EventDraft[]
  readonly refusal?: Verdict
}

/** Commands with words of a person in them. */
export type Worded = InputCommand | InputChangeCommand | ResolveCommand

/** What a person says, as plugins want it and the policy lets it through. A policy that fails lets nothing through. */
export async function screenedCommand(runtime: AgentRuntime, state: SessionState, given: Worded): Promise<Screened> {
  const { compliance, plugins } = runtime
  const { id: sessionId, row } = state
  const { command, notices } =
    given.type === 'resolve' || plugins.length === 0
      ? { command: given, notices: [] }
      : await (await import('./hooks.ts')).transformedInput(runtime, state, given)
  if (compliance === undefined) return { command, notices }
  const by = command.by === undefined ? {} : { by: command.by }
  const principal = row.principal === undefined ? {} : { principal: row.principal }
  try {
    const screened = await screen(compliance, command, { sessionId, ...principal, ...by })
    if ('blocked' in screened) return { refusal: refused(command, 'compliance.blocked', screened.blocked) }
    const masked = screened.reasons.map((text): EventDraft => ({ type: 'notice', code: 'input.masked', text, ...by }))
    return { command: screened.command, notices: [...notices, ...masked] }
  } catch (thrown) {
    return { refusal: refused(command, 'compliance.blocked', `It could not be checked: ${thrownText(thrown)}`) }
  }
}

type Result = { readonly blocked: string } | { readonly command: Command; readonly reasons: readonly string[] }

async function screen(policy: CompliancePolicy, command: Worded, context: ComplianceContext): Promise<Result> {
  if (command.type === 'resolve') return screenAnswer(policy, command, context)
  if (command.parts === undefined) return { command, reasons: [] }
  const screened = await screenInput(policy, command.parts, context)
  if (screened.action === 'block') return { blocked: screened.reason }
  if (screened.action === 'allow') return { command, reasons: [] }
  return { command: { ...command, parts: screened.parts }, reasons: screened.reasons }
}

/** Every text of an answer, wherever in it. A decision is no text: it is one of those that were offered. */
async function screenAnswer(
  policy: CompliancePolicy,
  command: ResolveCommand,
  context: ComplianceContext,
): Promise<Result> {
  const reasons = new Set<string>()
  let blocked: string | undefined
  async function screened(value: JsonValue): Promise<JsonValue> {
    if (typeof value === 'string') {
      const verdict = await verdictOn(policy, value, context)
      if (verdict.action === 'allow') return value
      if (verdict.action === 'block') blocked ??= verdict.reason
      else reasons.add(verdict.reason)
      return verdict.action === 'mask' ? verdict.text : ''
    }
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return Promise.all(value.map(screened))
    const entries = Object.entries(value).map(async ([key, item]) => [key, await screened(item as JsonValue)] as const)
    return Object.fromEntries(await Promise.all(entries))
  }
  const { resolution: given } = command
  const decision = given?.decision === undefined ? {} : { decision: given.decision }
  const { decision: _decision, ...texts } = given ?? {}
  const said = (await screened(texts as JsonValue)) as Resolution
  const resolution: Resolution = { ...said, ...decision }
  if (blocked !== undefined) return { blocked }
  return { command: reasons.size === 0 ? command : { ...command, resolution }, reasons: [...reasons] }
}
