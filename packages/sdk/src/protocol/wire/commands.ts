import * as z from 'zod/mini'
import { idSchema, jsonObject, userParts } from './parts.ts'

const lane = z.enum(['steer', 'queue'])

const budget = z.strictObject({
  per: z.enum(['call', 'run', 'session', 'hour', 'day', 'month', 'total']),
  scope: z.optional(z.string()),
  cost: z.optional(z.object({ amount: z.number(), currency: z.string() })),
  tokens: z.optional(z.number()),
  unknownPricing: z.optional(z.enum(['block', 'allow'])),
})

/** What one command sets of a run. A server takes only what it exposes. */
const runSettingsSchema = z.object({
  maxTurns: z.optional(z.int().check(z.minimum(1))),
  graceTurns: z.optional(z.int().check(z.minimum(0))),
  unattended: z.optional(z.boolean()),
  output: z.optional(z.object({ schema: jsonObject, name: z.optional(z.string()) })),
  limits: z.optional(z.array(budget)),
  settings: z.optional(jsonObject),
  metadata: z.optional(jsonObject),
})

const resolution = z.object({
  decision: z.optional(z.enum(['allow-once', 'allow-session', 'allow-always', 'deny', 'approve', 'revise', 'reject'])),
  note: z.optional(z.string()),
  editedInput: z.optional(jsonObject),
  answers: z.optional(z.record(z.string(), z.array(z.string()))),
  skipped: z.optional(z.boolean()),
  output: z.optional(z.unknown()),
  error: z.optional(z.string()),
})

const text = z.nullable(z.string().check(z.maxLength(1_000)))

const input = z.object({
  type: z.literal('input'),
  id: idSchema,
  parts: userParts,
  mode: z.enum(['run', 'steer', 'queue']),
  supersede: z.optional(z.boolean()),
  options: z.optional(runSettingsSchema),
})
const inputChange = z.object({
  type: z.literal('input-change'),
  id: idSchema,
  inputId: idSchema,
  parts: z.optional(userParts),
  lane: z.optional(lane),
  remove: z.optional(z.boolean()),
})
const abort = z.object({ type: z.literal('abort'), id: idSchema, runId: z.optional(z.string()) })
const resolve = z.object({ type: z.literal('resolve'), id: idSchema, requestId: z.string(), resolution })
const continued = z.object({ type: z.literal('continue'), id: idSchema, options: z.optional(runSettingsSchema) })
const rewind = z.object({ type: z.literal('rewind'), id: idSchema, toMessageId: z.optional(z.string()) })
const update = z.object({
  type: z.literal('update'),
  id: idSchema,
  row: z.object({
    title: z.optional(text),
    profile: z.optional(text),
    metadata: z.optional(z.nullable(jsonObject)),
    archived: z.optional(z.boolean()),
  }),
})
const compact = z.object({ type: z.literal('compact'), id: idSchema })

/** A command as it travels: without `at` and `by`, which the server sets. */
export const commandSchema = z.discriminatedUnion('type', [
  input,
  inputChange,
  abort,
  resolve,
  continued,
  rewind,
  update,
  compact,
])

export const COMMAND_TYPES = [
  'input',
  'input-change',
  'abort',
  'resolve',
  'continue',
  'rewind',
  'update',
  'compact',
] as const
