import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'

/** What goes back to the model that wrote a part, beside the part's own text and input. */
export interface PartState {
  /** The output item as it came: a reasoning item, or a provider's own call. */
  readonly item?: JsonObject
  /** The provider's id of a message or a function call. */
  readonly id?: string
  /** Of a message: whether it comments on the work or is the answer. */
  readonly phase?: string
}

export function partState(state: JsonValue | undefined): PartState {
  return isObject(state) ? (state as PartState) : {}
}
