import { thrownText } from '../protocol/errors.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { ToolOutcome } from '../protocol/messages.ts'
import type { Resolution, Resolved, ResolvedReason } from '../protocol/requests.ts'
import { prepareCall } from '../tools/prepare.ts'
import { limited } from '../tools/result.ts'
import { permissionCall } from './approvals.ts'
import type { Runnable, Step } from './gate.ts'
import type { RunScope } from './run-scope.ts'

/** What an answer makes of its call: it runs, or the answer is its result. */
export async function stepAfterAnswer(
  run: RunScope,
  callId: string,
  call: Runnable,
  { resolution, reason }: Resolved,
): Promise<Step> {
  const { name: toolName, execute } = call.tool
  if (execute === undefined) return outsideStep(callId, call, outsideResult(call, resolution, reason))
  if (resolution.decision === 'deny') return result(callId, toolName, ['denied', deniedText(resolution, reason)])
  await remember(run, call, resolution)
  const { editedInput } = resolution
  if (editedInput === undefined) return { type: 'run', input: call.sent, call }
  const { prepared, state } = run
  const edited = await prepareCall(
    prepared.tools.own,
    { callId, toolName, input: editedInput },
    { context: prepared.context, history: state.history },
  )
  if (!edited.ok) return { type: 'result', result: { ...edited.result, ranWith: editedInput } }
  const approved = { ...edited, ranWith: editedInput }
  const refusal = run.hooks && (await (await run.hooks()).refusedEdit(run, callId, approved))
  return refusal ? { type: 'result', result: refusal } : { type: 'run', input: editedInput, call: approved }
}

/** Remembering is a comfort: when it fails the call still runs as it was allowed to. */
async function remember(run: RunScope, call: Runnable, { decision }: Resolution): Promise<void> {
  if (decision !== 'allow-session' && decision !== 'allow-always') return
  try {
    await run.prepared.permissions?.remember?.(await permissionCall(run, call), decision)
  } catch (thrown) {
    const text = `The permission could not be remembered, and holds for this call alone: ${thrownText(thrown)}`
    run.notice('permission.not-remembered', text)
  }
}

function result(callId: string, toolName: string, [outcome, output]: readonly [ToolOutcome, JsonValue]): Step {
  const code = outcome === 'denied' ? { code: 'tool.denied' } : outcome === 'error' ? { code: 'tool.failed' } : {}
  return { type: 'result', result: { callId, toolName, outcome, ...code, output, durationMs: 0 } }
}

/** The log has the whole answer; the model gets as much of it as of any result. */
function outsideStep(
  callId: string,
  { tool, ranWith }: Runnable,
  [outcome, answer]: readonly [ToolOutcome, JsonValue],
): Step {
  const { output, truncatedTo } = limited(answer, tool.maxResultChars)
  const step = result(callId, tool.name, [outcome, output])
  if (step.type !== 'result') return step
  const more = { ...(truncatedTo !== undefined && { truncatedTo }), ...(ranWith && { ranWith }) }
  return { type: 'result', result: { ...step.result, ...more } }
}

function outsideResult(
  { tool, sent }: Runnable,
  resolution: Resolution,
  reason: ResolvedReason,
): readonly [ToolOutcome, JsonValue] {
  const { note } = resolution
  switch (tool.request) {
    case 'plan':
      if (resolution.decision === 'approve') return ['ok', withNote('The plan was approved. Carry it out.', note)]
      if (resolution.decision === 'revise')
        return ['ok', `The plan was sent back. Revise it and hand it in again: ${note}`]
      return ['denied', deniedText(resolution, reason)]
    case 'question': {
      const { answers = {}, skipped } = resolution
      if (reason === 'superseded') return ['skipped', SUPERSEDED]
      const missing = skipped
        ? { skipped: true, ...(sent.questions !== undefined && Object.keys(answers).length === 0 && { hint: GO_ON }) }
        : {}
      return [
        skipped && Object.keys(answers).length === 0 ? 'skipped' : 'ok',
        { answers, ...missing, ...(note && { note }) },
      ]
    }
    default:
      if (resolution.output !== undefined) return ['ok', resolution.output]
      if (reason !== 'answered') return ['skipped', unansweredText(reason)]
      return ['error', withNote(`It failed: ${resolution.error}`, note)]
  }
}

const GO_ON = 'Nobody chose. Go on with your best judgement and say what you assumed.'
const SUPERSEDED = 'Not answered: the person wrote a message instead. It follows.'

function deniedText({ note }: Resolution, reason: ResolvedReason): string {
  if (reason === 'answered') return withNote('Denied by the person, and not run.', note)
  return unansweredText(reason)
}

function unansweredText(reason: ResolvedReason): string {
  if (reason === 'superseded') return `Not run. ${SUPERSEDED}`
  if (reason === 'deadline') return 'Not run: nobody answered in time. Do not assume that it was allowed.'
  return 'Not run: the request for it was withdrawn.'
}

function withNote(text: string, note: string | undefined): string {
  return note?.trim() ? `${text} They say: ${note}` : text
}
