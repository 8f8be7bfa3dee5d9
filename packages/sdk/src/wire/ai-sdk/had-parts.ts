import { isObject, type JsonObject } from '../../protocol/json.ts'
import type { PostedMessage } from './post.ts'
import type { UIPart, UIToolPart } from './ui-message.ts'

/**
 * What a page has of the message that goes on, as far as it matters for what it is sent next. It may say what it likes:
 * only its own picture of the reply depends on it.
 */
export function hadParts({ parts }: PostedMessage): UIPart[] {
  return parts.flatMap((part) => hadPart(part))
}

function hadPart(part: Readonly<Record<string, unknown>>): UIPart[] {
  const { type, text, toolCallId, state } = part
  if (typeof type !== 'string') return []
  if (type === 'text' || type === 'reasoning') return typeof text === 'string' ? [{ type, text, state: 'done' }] : []
  if (!type.startsWith('tool-')) return [part as unknown as UIPart]
  if (typeof toolCallId !== 'string' || typeof state !== 'string' || !isState(state)) return []
  const { rawInput, input, output = null, errorText = '', approval } = part
  const had = {
    type,
    toolCallId,
    state,
    rawInput: typeof rawInput === 'string' ? rawInput : '',
    input,
    output,
    errorText,
  }
  return [
    { ...had, approval: isObject(approval) ? approval : ({ id: '' } satisfies JsonObject) } as unknown as UIToolPart,
  ]
}

const STATES: readonly string[] = [
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
] satisfies UIToolPart['state'][]

function isState(state: string): boolean {
  return STATES.includes(state)
}
