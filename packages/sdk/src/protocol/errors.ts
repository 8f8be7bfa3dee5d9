import { defined } from './fields.ts'
import type { JsonValue } from './json.ts'

/** The stable codes. `docs/errors.md` has the next step for each. Plugins and tools may use codes of their own. */
export type ErrorCode =
  | `provider.${'bad-request' | 'auth' | 'not-found' | 'too-large' | 'rate-limited' | 'quota' | 'overloaded' | 'unreachable' | 'tls' | 'protocol' | 'stream-truncated' | 'connect-timeout' | 'idle' | 'deadline' | 'context-overflow' | 'content-filter'}`
  | `config.${'missing-key' | 'invalid'}`
  | `store.${'unavailable' | 'unwritable' | 'not-a-database' | 'locked' | 'full' | 'corrupt'}`
  | `session.${'busy' | 'not-found' | 'conflict' | 'lease-lost' | 'invalid-id' | 'nothing-to-continue' | 'not-supported' | 'closed' | 'aborted' | 'unknown-message' | 'unknown-run' | 'run-not-open'}`
  | `request.${'unknown' | 'already-resolved' | 'invalid-answer'}`
  | `input.${'too-large' | 'empty' | 'invalid' | 'unknown'}`
  | `tool.${'unknown' | 'disabled' | 'denied' | 'invalid-json' | 'invalid-input' | 'failed' | 'timeout' | 'invalid-name' | 'duplicate-name' | 'invalid-schema' | 'missing-zod'}`
  | 'budget.exceeded'
  | `output.${'invalid' | 'looping'}`
  | 'compliance.blocked'
  | 'protocol.too-new'
  | `mcp.${'unreachable' | 'auth' | 'protocol' | 'lost' | 'closed'}`
  | `wire.${'unreachable' | 'protocol' | 'bad-request' | 'unauthorized' | 'origin' | 'not-found' | 'method-not-allowed' | 'content-type' | 'not-exposed' | 'closing'}`
  | 'testing.unexpected-call'
  | 'testing.leftover-steps'
  | 'internal'

/** An error as plain data: the same in the class, in events and over HTTP. */
export interface ErrorInfo {
  readonly code: ErrorCode | (string & {})
  readonly message: string
  readonly retryable: boolean
  readonly details?: JsonValue
}

export interface StepwellErrorOptions {
  readonly retryable?: boolean
  readonly details?: JsonValue
  readonly cause?: unknown
}

/** The base of every error this library throws. Branch on `code`, never on `message`. */
export class StepwellError extends Error {
  readonly code: ErrorInfo['code']
  readonly retryable: boolean
  declare readonly details?: JsonValue

  constructor(code: ErrorInfo['code'], message: string, options: StepwellErrorOptions = {}) {
    super(message, options)
    this.name = new.target.name
    this.code = code
    this.retryable = options.retryable ?? false
    if (options.details !== undefined) this.details = options.details
  }

  toJSON(): ErrorInfo {
    const { code, message, retryable, details } = this
    return defined({ code, message, retryable, details })
  }
}

export class ConfigError extends StepwellError {}
export class SessionError extends StepwellError {}
export class StoreError extends StepwellError {}
export class InputError extends StepwellError {}
export class ToolError extends StepwellError {}
/** What went wrong between a client and its server. */
export class WireError extends StepwellError {}

const CLASSES: ReadonlyMap<string, typeof StepwellError> = /* @__PURE__ */ new Map([
  ['config', ConfigError],
  ['input', InputError],
  ['session', SessionError],
  ['store', StoreError],
  ['tool', ToolError],
  ['wire', WireError],
])

/** An error in the class that its code belongs to. */
export function errorOf(code: ErrorInfo['code'], message: string, options?: StepwellErrorOptions): StepwellError {
  const ErrorClass = CLASSES.get(code.replace(/\..*/, '')) ?? StepwellError
  return new ErrorClass(code, message, options)
}

export interface ProviderErrorOptions extends StepwellErrorOptions {
  /** HTTP status, where there was one. */
  readonly status?: number
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfterMs?: number
  /** Whether the reply had already begun: a retry voids what was shown. */
  readonly sentOutput?: boolean
}

/** What a `ModelProvider` throws. */
export class ProviderError extends StepwellError {
  declare readonly status?: number
  declare readonly retryAfterMs?: number
  declare readonly sentOutput: boolean

  constructor(code: ErrorInfo['code'], message: string, options: ProviderErrorOptions = {}) {
    super(code, message, options)
    const { status, retryAfterMs, sentOutput = false } = options
    Object.assign(this, defined({ status, retryAfterMs, sentOutput }))
  }

  override toJSON(): ErrorInfo {
    const details = defined({ status: this.status, retryAfterMs: this.retryAfterMs })
    return { ...(Object.keys(details).length > 0 && { details }), ...super.toJSON() }
  }
}

/** Anything that was thrown, as data. Never throws itself, whatever was thrown. */
export function errorInfo(thrown: unknown): ErrorInfo {
  if (thrown instanceof StepwellError) return thrown.toJSON()
  return { code: 'internal', message: thrownText(thrown), retryable: false }
}

/** How far causes are followed: they may form a ring. */
const CAUSES_TOLD = 5

/**
 * The most telling text of anything that can be thrown: undefined, strings, plain objects, errors with causes.
 * Never empty, and never throws itself.
 */
export function thrownText(thrown: unknown, causes = CAUSES_TOLD): string {
  try {
    if (typeof thrown === 'string') return thrown || 'an empty text'
    if (typeof thrown !== 'object' || thrown === null) return String(thrown)
    if (!(thrown instanceof Error)) return JSON.stringify(thrown) || 'an empty object'
    const { message, name, cause } = thrown
    // A failed connection is an `AggregateError` without a message: its first error tells what happened.
    const inner: unknown = cause ?? (!message && thrown instanceof AggregateError ? thrown.errors[0] : undefined)
    const told = inner !== undefined && inner !== thrown && causes > 0
    return `${message || name || 'Error'}${told ? ` (cause: ${thrownText(inner, causes - 1)})` : ''}`
  } catch {
    return 'something indescribable'
  }
}
