import type { AgentEvent } from '../protocol/events.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Message, ToolCallPart, ToolResult } from '../protocol/messages.ts'
import type { PermissionCall, PermissionPolicy, PermissionRecord } from '../protocol/permissions.ts'

/** A call that was denied because nobody was there, and that nobody has decided on since. */
export interface PendingDenial {
  readonly callId: string
  readonly toolName: string
  readonly input: JsonObject
  readonly reason: string
  readonly operations: PermissionRecord['operations']
  /** The rule that would let it pass today. */
  readonly suggestedRule?: string
}

export interface CollectOptions {
  readonly sessionId: string
  readonly principal?: string
  /** The session's log, as a store reads it. */
  readonly events: Iterable<readonly AgentEvent[]> | AsyncIterable<readonly AgentEvent[]>
  /** The policy of today. */
  readonly policy: PermissionPolicy
}

/**
 * What unattended runs of a session were denied and what no rule allows or denies today, oldest first; calls that are
 * the same in everything are given once.
 */
export async function collectPending(options: CollectOptions): Promise<readonly PendingDenial[]> {
  const { sessionId, principal, policy } = options
  const pending = new Map<string, PendingDenial>()
  for (const { input, result, record } of await unattendedDenials(options.events)) {
    const { toolName, callId } = result
    const { effect, operations } = record
    const key = JSON.stringify([toolName, input, operations])
    if (pending.has(key)) continue
    const call: PermissionCall = {
      toolName,
      effect,
      input,
      operations,
      sessionId,
      ...(principal !== undefined && { principal }),
    }
    const { verdict, by, reason, suggestedRule } = await policy.decide(call)
    if (verdict === 'allow' || (verdict === 'deny' && by === 'rule')) continue
    pending.set(key, {
      callId,
      toolName,
      input,
      reason,
      operations,
      ...(suggestedRule !== undefined && { suggestedRule }),
    })
  }
  return [...pending.values()]
}

interface Denial {
  readonly input: JsonObject
  readonly result: ToolResult
  readonly record: PermissionRecord
}

async function unattendedDenials(events: CollectOptions['events']): Promise<readonly Denial[]> {
  const inputs = new Map<string, JsonObject>()
  const denials: Denial[] = []
  const settle = (result: ToolResult): void => {
    const record = recordOf(result)
    if (record?.by === 'unattended') denials.push({ input: inputs.get(result.callId) ?? {}, result, record })
    inputs.delete(result.callId)
  }
  for await (const batch of events) {
    for (const event of batch) {
      if (event.type === 'tool-result') settle(event.result)
      else if (event.type === 'message') rememberInputs(event.message)
      else if (event.type === 'history') event.messages.forEach(rememberInputs)
    }
  }
  return denials

  function rememberInputs(message: Message): void {
    for (const part of callsOf(message)) {
      inputs.set(part.callId, part.input ?? {})
      if (part.result !== undefined) settle(part.result)
    }
  }
}

function callsOf(message: Message): readonly ToolCallPart[] {
  return message.role === 'assistant' ? message.parts.filter((part) => part.type === 'tool-call') : []
}

/** Logs are data from outside: a record of another shape is none. */
function recordOf({ outcome, metadata }: ToolResult): PermissionRecord | undefined {
  const record = metadata?.permission as Partial<PermissionRecord> | null | undefined
  if (outcome !== 'denied' || typeof record !== 'object' || record === null) return undefined
  const { by, reason, effect, operations } = record
  const isWhole = typeof by === 'string' && typeof reason === 'string' && typeof effect === 'string'
  return isWhole && Array.isArray(operations) ? (record as PermissionRecord) : undefined
}
