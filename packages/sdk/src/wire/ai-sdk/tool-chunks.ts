import type { AIVersion, UIChunk } from './ui-chunk.ts'
import type { UIToolPart } from './ui-message.ts'

/** How far a call has come. A call never goes back. */
const RANKS: Readonly<Record<UIToolPart['state'], number>> = {
  'input-streaming': 0,
  'input-available': 1,
  'approval-requested': 2,
  'approval-responded': 3,
  'output-available': 4,
  'output-error': 4,
  'output-denied': 4,
}

/**
 * Whether a page is further than this form of the call: it has its own answer, which is not in the state yet. A further
 * approval of the same call is asked for all the same.
 */
export function isBehind(now: UIToolPart, shown: UIToolPart): boolean {
  if (RANKS[now.state] >= RANKS[shown.state]) return false
  return now.state !== 'approval-requested' || approvalOf(shown) === now.approval.id
}

function approvalOf(part: UIToolPart): string | undefined {
  return 'approval' in part ? part.approval?.id : undefined
}

/** What turns the call as a page has it, or none, into what it is now. */
export function toolChunks(before: UIToolPart | undefined, now: UIToolPart, version: AIVersion): UIChunk[] {
  const chunks = inputChunks(before, now)
  const from = before === undefined ? 0 : RANKS[before.state]
  const isFurther = before === undefined || RANKS[now.state] > from
  const { toolCallId } = now
  switch (now.state) {
    case 'approval-requested':
    case 'approval-responded':
    case 'output-denied': {
      const { id: approvalId } = now.approval
      const isAsked = before !== undefined && approvalOf(before) === approvalId
      // An older page cannot be told of an answer, and would ask for another one.
      if (now.state === 'approval-responded' && version < 7) break
      if (!isAsked) chunks.push({ type: 'tool-approval-request', approvalId, toolCallId })
      if (now.state === 'approval-requested' || (isAsked && !isFurther)) break
      if (now.state === 'output-denied') chunks.push({ type: 'tool-output-denied', toolCallId })
      else {
        const { approved, reason } = now.approval
        const why = reason === undefined ? {} : { reason }
        chunks.push({ type: 'tool-approval-response', approvalId, approved, ...why })
      }
      break
    }
    case 'output-available': {
      // The page of whoever answered has an output already: it may not be the one that counts.
      if (before?.state === 'output-available' && isEqual(before.output, now.output)) break
      const { output, providerExecuted } = now
      const who = providerExecuted ? { providerExecuted } : {}
      chunks.push({ type: 'tool-output-available', toolCallId, output, ...who })
      break
    }
    case 'output-error':
      // Without an input it is the input that failed, which was said already.
      if (isFurther && now.input !== undefined) {
        chunks.push({ type: 'tool-output-error', toolCallId, errorText: now.errorText })
      }
      break
  }
  return chunks
}

function inputChunks(before: UIToolPart | undefined, now: UIToolPart): UIChunk[] {
  const { toolCallId, providerExecuted } = now
  const toolName = now.type.slice('tool-'.length)
  const who = providerExecuted ? { providerExecuted } : {}
  if (before !== undefined && before.state !== 'input-streaming') return []
  const start: UIChunk[] = before === undefined ? [{ type: 'tool-input-start', toolCallId, toolName, ...who }] : []
  if (now.state === 'input-streaming') {
    const inputTextDelta = now.rawInput.slice(before?.rawInput.length ?? 0)
    return inputTextDelta === '' ? start : [...start, { type: 'tool-input-delta', toolCallId, inputTextDelta }]
  }
  if (now.state === 'output-error' && now.input === undefined) {
    const { rawInput: input = '', errorText } = now
    return [...start, { type: 'tool-input-error', toolCallId, toolName, input, errorText }]
  }
  const input = now.input ?? {}
  // `tool-input-available` makes a page run its tool. A call that is done when a page first hears of it is not run again.
  if (before === undefined && RANKS[now.state] === RANKS['output-available']) {
    return [...start, { type: 'tool-input-delta', toolCallId, inputTextDelta: JSON.stringify(input) }]
  }
  return [...start, { type: 'tool-input-available', toolCallId, toolName, input, ...who }]
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
