import type { JsonObject } from './json.ts'

/** A JSON Schema whose root is an object. */
export interface OutputSchema {
  readonly schema: JsonObject
  readonly name?: string
}
