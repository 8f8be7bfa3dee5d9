import { errorInfo, thrownText } from '../protocol/errors.ts'
import { type JsonObject, normalise } from '../protocol/json.ts'
import type { ToolResult } from '../protocol/messages.ts'
import type { Decision, PermissionCall, PermissionRecord } from '../protocol/permissions.ts'
import type { EffectDescription, Question, Request } from '../protocol/requests.ts'
import type { Tool } from '../tools/tool.ts'
import { truncateText } from '../tools/truncate.ts'
import { type Runnable, requestId, type Step } from './gate.ts'
import { logThrown } from './log-thrown.ts'
import type { RunScope } from './run-scope.ts'

const MAX_DIFF = 20_000

/** Asks whoever has to be asked about a call that nobody answered yet. */
export async function stepBeforeAnswer(run: RunScope, callId: string, call: Runnable): Promise<Step> {
  const { tool } = call
  const isOutside = tool.execute === undefined
  if (isOutside && run.prepared.permissions === undefined) return askOutside(run, callId, call)
  let asked: PermissionCall
  let decision: Decision
  try {
    asked = await permissionCall(run, call)
    decision = await decide(run, asked)
  } catch (thrown) {
    // Without an answer there is no permission. What the tool's own functions throw is told like any failure of it.
    const { code } = errorInfo(thrown)
    const output = `Not run: whether it may could not be decided: ${thrownText(thrown)}`
    const result: ToolResult = { callId, toolName: tool.name, outcome: 'error', code, output, durationMs: 0 }
    return { type: 'result', result: code === 'internal' ? { ...result, code: 'tool.failed' } : result }
  }
  if (decision.verdict === 'deny') return denied(callId, asked, decision)
  // Whoever answers it sees what it is: that is the approval.
  if (isOutside) return askOutside(run, callId, call)
  if (decision.verdict === 'allow') return { type: 'run', input: call.sent, call }
  if (run.isUnattended) {
    const reason = `Nobody is there to be asked. ${decision.reason}`
    return denied(callId, asked, { ...decision, by: 'unattended', reason })
  }
  const { suggestedRule } = decision
  const canRemember = suggestedRule !== undefined && run.prepared.permissions?.remember !== undefined
  return request(run, callId, call, {
    kind: 'approval',
    reason: decision.reason,
    options: canRemember ? ['allow-once', 'allow-session', 'allow-always', 'deny'] : ['allow-once', 'deny'],
    ...(canRemember && { suggestedRule }),
  })
}

/** What a policy is told about a call. */
export async function permissionCall(run: RunScope, { tool, input, sent }: Runnable): Promise<PermissionCall> {
  const { principal } = run.state.row
  const { by } = run
  return {
    toolName: tool.name,
    effect: tool.effect,
    input: sent,
    operations: (await tool.operations?.(input)) ?? [],
    ...((await tool.needsApproval?.(input)) && { needsApproval: true }),
    sessionId: run.state.id,
    ...(principal !== undefined && { principal }),
    ...(by !== undefined && { by }),
  }
}

function decide(run: RunScope, call: PermissionCall): Decision | Promise<Decision> {
  const { permissions } = run.prepared
  if (permissions !== undefined) return permissions.decide(call)
  return call.needsApproval
    ? { verdict: 'ask', by: 'level', reason: 'The tool wants it approved by a person.' }
    : { verdict: 'allow', by: 'level', reason: 'Nothing is asked here.' }
}

function denied(callId: string, call: PermissionCall, decision: Decision): Step {
  const { toolName, effect, operations } = call
  const { by, reason, rule, suggestedRule } = decision
  const permission: PermissionRecord = {
    by,
    reason,
    effect,
    operations,
    ...(rule !== undefined && { rule }),
    ...(suggestedRule !== undefined && { suggestedRule }),
  }
  const metadata = normalise({ permission }) as JsonObject
  const output = `Denied, and not run: ${reason}`
  return {
    type: 'result',
    result: { callId, toolName, outcome: 'denied', code: 'tool.denied', output, metadata, durationMs: 0 },
  }
}

/** A tool without `execute`: its answer is its result. */
async function askOutside(run: RunScope, callId: string, call: Runnable): Promise<Step> {
  const { name: toolName, request: kind = 'client-tool' } = call.tool
  if (run.isUnattended) {
    const output = 'Not answered: nobody is there to be asked. Go on without it, and say what you assumed.'
    return { type: 'result', result: { callId, toolName, outcome: 'skipped', output, durationMs: 0 } }
  }
  if (kind !== 'question') {
    return request(run, callId, call, { kind, ...(kind === 'plan' && { options: ['approve', 'revise', 'reject'] }) })
  }
  const questions = call.sent.questions as unknown as readonly Question[]
  const problem = questionsProblem(questions)
  if (problem === undefined) return request(run, callId, call, { kind, questions })
  const output = `Not asked: ${problem}.`
  return {
    type: 'result',
    result: { callId, toolName, outcome: 'error', code: 'tool.invalid-input', output, durationMs: 0 },
  }
}

/** Why these questions cannot be asked; undefined when they can. */
export function questionsProblem(questions: readonly Question[]): string | undefined {
  if (!Array.isArray(questions) || questions.length === 0 || questions.length > 4) return 'ask 1 to 4 questions at once'
  if (new Set(questions.map(({ id }) => id)).size < questions.length) return 'each question needs an id of its own'
  for (const { id, header, question, options } of questions) {
    if (typeof id !== 'string' || id === '' || typeof question !== 'string') return 'a question has an id and a text'
    if (typeof header !== 'string' || header.length > 12) return `the header of "${id}" has at most 12 characters`
    if (!Array.isArray(options) || options.length < 2 || options.length > 4) return `"${id}" has 2 to 4 options`
    if (options.some((option) => typeof option?.label !== 'string')) return `each option of "${id}" has a label`
  }
  return undefined
}

async function request(
  run: RunScope,
  callId: string,
  { tool, input, sent }: Runnable,
  asked: Pick<Request, 'kind' | 'reason' | 'options' | 'questions' | 'suggestedRule'>,
): Promise<Step> {
  const description = await describe(run, tool, input)
  return {
    type: 'request',
    input: sent,
    request: {
      id: requestId(callId),
      callId,
      path: [run.state.id],
      tool: { name: tool.name, input: sent, effect: tool.effect },
      ...asked,
      ...(description && { description }),
      ...deadline(run),
    },
  }
}

/** Until when a request that is made now can be answered. */
export function deadline(run: RunScope): Pick<Request, 'deadline'> {
  const { requestMs } = run.runtime.timeouts
  return requestMs > 0 ? { deadline: run.clock.now() + requestMs } : {}
}

/** A tool that cannot say what it would do is asked for all the same. */
async function describe(run: RunScope, tool: Tool, input: unknown): Promise<EffectDescription | undefined> {
  try {
    const described = await tool.describeEffect?.(input)
    if (described?.diff === undefined) return described && { ...described }
    return { ...described, diff: truncateText(described.diff, MAX_DIFF) }
  } catch (thrown) {
    logThrown(run.runtime.logger, 'warn', 'describeEffect threw', { tool: tool.name })(thrown)
    return undefined
  }
}
