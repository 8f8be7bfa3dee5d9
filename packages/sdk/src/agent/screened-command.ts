import { screenInput } from '../guards/screen.ts'
import type { Command, InputChangeCommand, InputCommand } from '../protocol/commands.ts'
import { thrownText } from '../protocol/errors.ts'
import type { EventDraft } from '../protocol/events.ts'
import type { SessionState } from '../protocol/state.ts'
import { refused, type Verdict } from './judge.ts'
import type { AgentRuntime } from './runtime.ts'

export type Screened =
  | { readonly command: Command; readonly notices: readonly EventDraft[] }
  | { readonly refusal: Verdict }

/** What a person says, as the policy lets it through. A policy that fails lets nothing through. */
export async function screenedCommand(
  { compliance }: AgentRuntime,
  { id: sessionId, row }: SessionState,
  command: InputCommand | InputChangeCommand,
): Promise<Screened> {
  if (compliance === undefined || command.parts === undefined) return { command, notices: [] }
  const by = command.by === undefined ? {} : { by: command.by }
  const principal = row.principal === undefined ? {} : { principal: row.principal }
  try {
    const screened = await screenInput(compliance, command.parts, { sessionId, ...principal, ...by })
    if (screened.action === 'block') return { refusal: refused(command, 'compliance.blocked', screened.reason) }
    if (screened.action === 'allow') return { command, notices: [] }
    const notices = screened.reasons.map((text): EventDraft => ({ type: 'notice', code: 'input.masked', text, ...by }))
    return { command: { ...command, parts: screened.parts }, notices }
  } catch (thrown) {
    return { refusal: refused(command, 'compliance.blocked', `The input could not be checked: ${thrownText(thrown)}`) }
  }
}
