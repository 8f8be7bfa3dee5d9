import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'

/**
 * What goes back to the model that wrote a part, beside the part's own text and input. Everything that is opaque to us
 * is kept as it came.
 */
export interface PartState {
  /** Reasoning: proves that the text is the model's own. Its text may be empty. */
  readonly signature?: string
  /** Reasoning that nobody but the model can read. */
  readonly redacted?: string
  /** Text: where it comes from. */
  readonly citations?: readonly JsonValue[]
  /** A call of ours made from the provider's code. */
  readonly caller?: JsonValue
  /** A provider's own call. Absent when an earlier message holds it. */
  readonly use?: JsonObject
  /** Its result. */
  readonly result?: JsonObject
  /** How many parts the reply had when the result came: it stands before the next one. */
  readonly after?: number
  /** Its number among the results of the reply: several may stand at one place. */
  readonly nth?: number
}

export function partState(state: JsonValue | undefined): PartState {
  return isObject(state) ? (state as PartState) : {}
}
