import { ToolError } from '../protocol/errors.ts'
import { defined } from '../protocol/fields.ts'
import type { JsonObject } from '../protocol/json.ts'
import { nameProblem } from '../protocol/name-problem.ts'
import { type JsonSchema, toolInputSchema } from './schema.ts'
import type { StandardSchema } from './standard-schema.ts'
import type { Tool, ToolEffect } from './tool.ts'

/** A tool as it is written. See `Tool` for what the fields mean. */
export interface ToolDefinition<Input, Output, Name extends string = string>
  extends Pick<
    Tool<Input, Output, Name>,
    'name' | 'description' | 'enabled' | 'describeEffect' | 'operations' | 'request' | 'execute'
  > {
  /** A zod 4, zod/mini or other Standard Schema, or a JSON Schema. The root is an object. */
  readonly input: StandardSchema<Input> | JsonSchema
  /** True: always. */
  readonly needsApproval?: boolean | Tool<Input, Output>['needsApproval']
  /** Default `write`, the careful one. */
  readonly effect?: ToolEffect
  /** Default: true for the effect `read`, false otherwise. */
  readonly parallel?: boolean
  /** Default `cancel`. */
  readonly onAbort?: 'cancel' | 'wait'
  /** Milliseconds, 0 for no limit. Default 120,000. */
  readonly timeoutMs?: number
  /** UTF-16 units of the result the model is told; the rest is kept beside it. Default 50,000. */
  readonly maxResultChars?: number
}

/**
 * Makes a tool. The type of `execute`'s input comes from a zod schema; with a JSON Schema it is a `JsonObject`, or what
 * you declare.
 *
 * Throws a `ToolError`: `tool.invalid-name`, `tool.invalid-schema`, or `config.invalid` for other values out of range.
 */
export function defineTool<Input = JsonObject, Output = unknown, const Name extends string = string>(
  definition: ToolDefinition<Input, Output, Name>,
): Tool<Input, Output, Name> {
  const { name, description, effect = 'write', parallel = effect === 'read', onAbort = 'cancel' } = definition
  const { timeoutMs = 120_000, maxResultChars = 50_000 } = definition
  const { enabled, describeEffect, operations, needsApproval, request, execute } = definition
  const problem = nameProblem(name)
  // Providers map names to what their API accepts, so dots, slashes, spaces and other scripts are fine.
  if (problem !== undefined) {
    throw new ToolError('tool.invalid-name', `The tool name ${JSON.stringify(name)} cannot be used: ${problem}.`)
  }
  const check = (holds: boolean, field: string, expected: string): void => {
    if (!holds) throw new ToolError('config.invalid', `Tool "${name}": ${field} has to be ${expected}.`)
  }
  check(typeof description === 'string', 'description', 'a text')
  check(['read', 'idempotent', 'write'].includes(effect), 'effect', '"read", "idempotent" or "write"')
  check(['cancel', 'wait'].includes(onAbort), 'onAbort', '"cancel" or "wait"')
  check(timeoutMs >= 0 && timeoutMs <= MAX_TIMEOUT_MS, 'timeoutMs', `0 for no limit, or at most ${MAX_TIMEOUT_MS}`)
  check(Number.isInteger(maxResultChars) && maxResultChars > 0, 'maxResultChars', 'a whole number above 0')
  return defined({
    name,
    description,
    input: toolInputSchema<Input>(name, definition.input),
    effect,
    parallel,
    onAbort,
    timeoutMs,
    maxResultChars,
    enabled,
    describeEffect,
    operations,
    needsApproval: needsApproval === true ? () => true : needsApproval || undefined,
    request,
    execute,
  }) as Tool<Input, Output, Name>
}

/** Longer timers fire at once on every platform. */
const MAX_TIMEOUT_MS = 2_147_483_647
