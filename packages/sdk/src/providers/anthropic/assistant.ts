import type { JsonObject } from '../../protocol/json.ts'
import type { AssistantMessage, ToolCallPart } from '../../protocol/messages.ts'
import { isBlank, isOurs, sameModel } from '../history.ts'
import type { Target } from '../http-provider.ts'
import type { CallWords } from '../wire-history.ts'
import { type PartState, partState } from './state.ts'

export type Block = JsonObject & { readonly type: string }

export interface AssistantContext extends CallWords {
  readonly target: Target
}

/**
 * A reply as the blocks it came in, in their order: the API refuses thinking that was changed, and a call of its own
 * without its result. What only the model that wrote it can use goes to no other one, and text that proves nothing
 * (unsigned thinking) to none.
 */
export function assistantBlocks(message: AssistantMessage, context: AssistantContext): Block[] {
  const own = sameModel(message, context.target)
  const blocks: Block[] = []
  const results = own ? resultsInOrder(message) : []
  const insertResults = (before: number) => {
    while (results[0] !== undefined && results[0].after <= before) blocks.push(results.shift()?.block as Block)
  }
  message.parts.forEach((part, index) => {
    insertResults(index)
    const state = own && 'providerState' in part ? partState(part.providerState) : {}
    switch (part.type) {
      case 'text':
        if (!isBlank(part.text)) blocks.push({ type: 'text', text: part.text, ...citations(state) })
        return
      case 'reasoning':
        if (state.signature !== undefined) {
          blocks.push({ type: 'thinking', thinking: part.text, signature: state.signature })
        } else if (state.redacted !== undefined) {
          blocks.push({ type: 'redacted_thinking', data: state.redacted })
        }
        return
      case 'tool-call':
        if (isOurs(part)) blocks.push(toolUse(part, state, context))
        else if (state.use) blocks.push(state.use as Block)
    }
  })
  insertResults(Number.POSITIVE_INFINITY)
  return blocks
}

function toolUse(call: ToolCallPart, { caller }: PartState, { names, idOf }: AssistantContext): Block {
  return {
    type: 'tool_use',
    id: idOf(call),
    name: names.toWire(call.toolName),
    input: call.input ?? {},
    ...(caller !== undefined && { caller }),
  }
}

function citations({ citations: cited }: PartState): { citations?: PartState['citations'] & JsonObject[string] } {
  return cited === undefined ? {} : { citations: cited }
}

function resultsInOrder(message: AssistantMessage): { readonly after: number; readonly block: Block }[] {
  return message.parts
    .map((part) => (part.type === 'tool-call' && part.executed ? partState(part.providerState) : {}))
    .flatMap(({ result, after = 0, nth = 0 }) => (result ? [{ after, nth, block: result as Block }] : []))
    .sort((a, b) => a.nth - b.nth)
}
