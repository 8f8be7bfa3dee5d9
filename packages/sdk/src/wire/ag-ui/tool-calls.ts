import { canonicalJson } from '../../protocol/json.ts'
import type { ToolCallPart } from '../../protocol/messages.ts'
import { outputText, resultText } from '../../protocol/text.ts'

/** As the model writes them while it does, then as they were understood. */
export function argumentsOf({ inputText, input }: ToolCallPart): string {
  return inputText ?? (input === undefined ? '' : JSON.stringify(input))
}

/** Whether these are the same arguments, whatever their spaces and the order of their keys. */
export function sameArguments(text: string, other: string): boolean {
  return text === other || ordered(text) === ordered(other)
}

function ordered(text: string): string {
  try {
    return canonicalJson(JSON.parse(text))
  } catch {
    return text
  }
}

/** What the model is told the call came to. Undefined while it has no result. */
export function resultOf({ result, executed, output }: ToolCallPart): string | undefined {
  if (result !== undefined) return resultText(result)
  return executed === undefined || output === undefined ? undefined : outputText(output)
}

/** The id of the message that a result is to a client. */
export function resultId({ callId }: ToolCallPart): string {
  return `${callId}:result`
}
