import { isObject, type JsonValue } from '../../protocol/json.ts'
import type { ProviderMetadata } from './stream-part.ts'

/** What goes back with a part to the model that wrote it. */
export interface PartState {
  readonly metadata?: ProviderMetadata
  /** A call that an earlier reply holds: the part is only there to show its result. */
  readonly shown?: true
}

/** What stands between the parts of a reply, in the order it came. */
export type Beside = {
  /** How many parts there were before it. */
  readonly after: number
  readonly metadata?: ProviderMetadata
} & (
  | { readonly type: 'result'; readonly part: number; readonly isError?: true }
  /** `file`: its number among the files of the reply. */
  | { readonly type: 'file' | 'reasoning-file'; readonly file: number }
  | { readonly type: 'custom'; readonly kind: string }
)

export function partState(state: JsonValue | undefined): PartState {
  return isObject(state) ? (state as PartState) : {}
}

/** From the opaque state of a message. */
export function besideParts(state: JsonValue | undefined): readonly Beside[] {
  return isObject(state) && Array.isArray(state.beside) ? (state.beside as readonly Beside[]) : []
}
