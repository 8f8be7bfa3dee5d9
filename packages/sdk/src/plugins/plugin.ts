import type { AgentEvent } from '../protocol/events.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Message } from '../protocol/messages.ts'
import type { PermissionRules } from '../protocol/permissions.ts'
import type { SessionState } from '../protocol/state.ts'
import type { Tool } from '../tools/tool.ts'
import type {
  ResponseHook,
  SessionEndHook,
  SessionStartHook,
  StopHook,
  ToolAfterHook,
  ToolAroundHook,
  ToolBeforeHook,
  ToolOutputHook,
  TurnAfterHook,
  TurnBeforeHook,
  UserInputHook,
  VerifyStopHook,
} from './hook-events.ts'

/**
 * Something that is plugged into an agent: tools, instructions, permission rules and hooks, each of them optional.
 * `createAgent({ plugins })` takes a list of them; `agent.use(plugin)` adds one and gives what removes it.
 */
export interface Plugin {
  /** Its own among the plugins of an agent. Shown to people where it changed something or failed. */
  readonly name: string
  /** Higher ones come first, equal ones in the order they were added. Default 0. */
  readonly priority?: number
  /** How long the agent waits for each of its hooks, in ms. Default 30,000; 0: for ever. */
  readonly timeoutMs?: number
  /** Beside the agent's own. A name that is taken is refused (`tool.duplicate-name`). */
  readonly tools?: readonly Tool[]
  /** Put after the agent's own, with a blank line between. The function is given what `context` returned. */
  readonly instructions?: string | ((context: unknown) => string | Promise<string>)
  /** Added to those of the agent's own policy, for instance `permissions()`: one that denies still outweighs all. */
  readonly permissions?: PermissionRules
  readonly hooks?: Hooks
  /**
   * Is shown the events of the sessions that this process runs, in their order, when everyone is, with the state after the
   * last of them. Nothing waits for it, and what it throws goes to the `logger`. For what measures or reports.
   */
  observe?(events: readonly AgentEvent[], state: SessionState): void
}

/** What a hook is given beside its event, which is plain data. */
export interface HookContext {
  /** What `createAgent({ context })` returned for this run; undefined where no run has begun or the session ends. */
  readonly context: unknown
  /** What has been said, up to now. */
  readonly history: readonly Message[]
  /** Aborted when nobody waits for the hook any more: its time is over, or the run was stopped. */
  readonly signal: AbortSignal
  /** To the agent's `logger`. */
  log(message: string, details?: JsonObject): void
}

type Given<T> = T | undefined | Promise<T | undefined>

/**
 * What a plugin does when something happens. For all of them:
 *
 * - Hooks of one kind are called one after the other, by `priority`; each sees what those before it made of the matter.
 * - A hook is called by the process that runs the session, after a crash perhaps once more.
 * - One that throws, gives something of the wrong shape, or takes longer than `timeoutMs` has failed. People are told
 *   (`notice` with `hook.failed`, once a run for the same failure) and things go on as if it had given nothing. Only
 *   `tool:before` is different: there the call is refused.
 * - An abort never waits for a hook. What one gives after that, or after its time, is ignored.
 * - What a hook changes is in the log as it was changed, and the log says that it was: live is still replay.
 */
export interface Hooks {
  /**
   * Before the first run of a session in this process: `new` where it has never run before. May give a note for the
   * model, which is stored as a message.
   */
  'session:start'?(event: SessionStartHook, ctx: HookContext): Given<{ readonly note: string }>
  /**
   * Once for each `session:start`: when the agent was closed or the session deleted here, the plugin was removed, or, some
   * time after, nobody held the session any more. `agent.close()` waits for it. Its failure goes to the `logger`, as no
   * run is there to be told.
   */
  'session:end'?(event: SessionEndHook, ctx: HookContext): unknown
  /**
   * Before each model call, not before its retries. May give a note for the model, which is stored as a message and
   * read with this call.
   */
  'turn:before'?(event: TurnBeforeHook, ctx: HookContext): Given<{ readonly note: string }>
  /** When a reply and the results of all its calls are in the log. Not for one that failed or was cut. Changes nothing. */
  'turn:after'?(event: TurnAfterHook, ctx: HookContext): unknown
  /**
   * Before a call is judged by the permission rules, with input that fits its tool. May refuse it, which ends the matter,
   * or give another input: that is validated like the model's own, put into the log (`tool-input-changed`, and `ranWith`
   * of the result), and is what rules, people and the tool get. Rewriting has to leave alone what is rewritten already: the
   * hook is asked again when an approver edits the input, and changing what a person approved refuses the call.
   *
   * Fails closed: a throw, a wrong shape, lateness or an input that does not fit refuses the call. A call that only reads
   * may start while the model still talks, so an attempt that fails may leave hooks called for nothing. To see what
   * others made of the input, have a lower `priority` than they.
   */
  'tool:before'?(
    event: ToolBeforeHook,
    ctx: HookContext,
  ): Given<{ readonly block: string } | { readonly input: JsonObject }>
  /**
   * Around a tool while it runs, for what has to be current meanwhile, such as a tracing context. Calls `execute` once, at
   * once, and awaits it; it settles as the tool does. What the hook gives is ignored, and where it throws before it called
   * `execute` the tool runs without it. The tool's own time limit holds, `timeoutMs` does not.
   */
  'tool:around'?(event: ToolAroundHook, execute: () => Promise<unknown>): Promise<unknown>
  /** When the result of a call is in the log, also of one that was refused. Changes nothing. The next turn waits for it. */
  'tool:after'?(event: ToolAfterHook, ctx: HookContext): unknown
  /**
   * Once for each run that ends here, whatever the reason, when its `finish` is in the log. Not for one that a dead process
   * left open and that is only closed here. Changes nothing, and nobody waits for it but `agent.close()`.
   */
  stop?(event: StopHook, ctx: HookContext): unknown
  /**
   * Before a run ends with `stop`. May send the model back with a message, for another turn: at most 3 times a run for
   * all plugins, then the run ends all the same and a notice says so (`stop.unverified`). The first that does has the word.
   */
  'verify:stop'?(event: VerifyStopHook, ctx: HookContext): Given<{ readonly sendBack: string }>
  /**
   * Before an input, or a change of one that waits, is judged by the compliance policy and accepted. May give another text.
   * Images and files stay as they are. The original is not kept; a notice says that it was changed. Commands are taken in
   * order, so an abort that was sent after the input waits one second for it at most, from another process two; then the
   * input is refused.
   */
  'transform:user-input'?(event: UserInputHook, ctx: HookContext): Given<{ readonly text: string }>
  /**
   * Before a text of a reply is judged by the compliance policy and shown. May give another one; a notice says so. With
   * such a hook text does not stream: it shows when the reply is complete, and a reply that breaks off keeps none of it.
   */
  'transform:response'?(event: ResponseHook, ctx: HookContext): Given<{ readonly text: string }>
  /**
   * Before the result of a call is stored. May give another output; the result names the plugins that did
   * (`metadata.transformedBy`). Its images, files and changes stay. Not for calls that were cut or never finished, since
   * their run was stopped.
   */
  'transform:tool-output'?(
    event: ToolOutputHook,
    ctx: HookContext,
  ): Given<{ readonly output: ToolOutputHook['output'] }>
}

export type HookName = keyof Hooks
