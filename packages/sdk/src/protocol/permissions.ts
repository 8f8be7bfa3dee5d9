import type { JsonObject } from './json.ts'

/** What a call does to the world. */
export type OperationKind = 'read' | 'write' | 'execute' | 'network' | 'other'

export interface Operation {
  readonly kind: OperationKind
  /** A path for `read` and `write`, a shell command line for `execute`, a URL for `network`, any text for `other`. */
  readonly target?: string
}

/**
 * A call that is about to run. Its input was validated before: a wrong parameter is answered as a wrong parameter, and a
 * policy is never asked about it.
 */
export interface PermissionCall {
  readonly toolName: string
  readonly effect: 'read' | 'idempotent' | 'write'
  readonly input: JsonObject
  /**
   * Everything the call would do, as its tool declares it. A tool declares its operations for all of its inputs or for
   * none. Empty: a `read` for the effect `read`, else `other`, without a target.
   */
  readonly operations: readonly Operation[]
  /** The tool's author wants it approved by a person. */
  readonly needsApproval?: true
  readonly sessionId: string
  readonly principal?: string
  /** Who asked for the run. */
  readonly by?: string
}

export interface Decision {
  readonly verdict: 'allow' | 'ask' | 'deny'
  /** For people and for the model. */
  readonly reason: string
  /** What decided. `unattended`: it would have been asked, and nobody is there. */
  readonly by: 'rule' | 'level' | 'unattended'
  /** The rule that decided, where one did. */
  readonly rule?: string
  /** The allow rule that covers exactly this request. Absent where there is none. */
  readonly suggestedRule?: string
}

/** `tool` or `tool(pattern)`. One rule that denies outweighs all others, then one that asks. */
export interface PermissionRules {
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
}

/**
 * Decides what may run. `decide` never rejects: what goes wrong inside becomes an `ask` or a `deny`.
 * Decisions hold for the moment they are made: files and links may change before the call runs.
 */
export interface PermissionPolicy {
  decide(call: PermissionCall): Decision | Promise<Decision>
  /**
   * Someone allowed the call for longer than once. Remembers its suggested rule, and nothing where there is none.
   * Rejects when it could not be remembered.
   */
  remember?(call: PermissionCall, exit: 'allow-session' | 'allow-always'): void | Promise<void>
  /** The same policy with further rules, which share its memory. Throws `config.invalid` for a rule that cannot be read. */
  withRules?(rules: PermissionRules): PermissionPolicy
}

/** What a denied call's result keeps of it, as `metadata.permission`. */
export interface PermissionRecord {
  readonly by: Decision['by']
  readonly reason: string
  readonly effect: PermissionCall['effect']
  readonly operations: readonly Operation[]
  readonly rule?: string
  readonly suggestedRule?: string
}
