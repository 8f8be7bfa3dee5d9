import type { SessionBus } from '../bus/bus.ts'
import type { Plugin } from '../plugins/plugin.ts'
import type { BudgetPolicy } from '../protocol/budget.ts'
import type { Clock, Ids } from '../protocol/clock.ts'
import type { CompliancePolicy } from '../protocol/compliance.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { PermissionPolicy } from '../protocol/permissions.ts'
import type { ModelProvider, ModelRequest, ModelSettings, ProviderTool } from '../providers/provider.ts'
import type { SessionStore } from '../stores/store.ts'
import type { Tool } from '../tools/tool.ts'
import type { ToolSet } from '../tools/tool-set.ts'
import type { Heads } from './heads.ts'

/** Who asks for a value of the app, and for what. */
export interface ContextRequest {
  readonly sessionId: string
  readonly by?: string
}

export interface Timeouts {
  /** Until the response's headers, in ms. Default 30,000. 0: none, here and below. */
  readonly connectMs?: number
  /** Until the first token, and between two reads; any byte counts. Default 300,000. */
  readonly idleMs?: number
  /** A whole attempt. Default 1,800,000. */
  readonly attemptMs?: number
  /** Until an approval counts as denied and a question as skipped. Default 0: it waits for ever. */
  readonly requestMs?: number
}

export interface Retries {
  /** Retries a turn. Default 2. */
  readonly max?: number
  /** The first wait, doubled for each further one. Default 1,000 ms. */
  readonly baseMs?: number
  /** A provider that asks for more fails the turn at once. Default 60,000 ms. */
  readonly maxDelayMs?: number
}

/** Where the agent reports what no event is for. Values are plain data without secrets. */
export interface Logger {
  log(level: 'debug' | 'warn' | 'error', message: string, details?: JsonObject): void
}

export type AgentTools = readonly (Tool | ProviderTool)[]

/** The tools of a run: those that run here, and those that the provider runs itself. */
export interface RunTools {
  readonly own: ToolSet
  readonly provider: readonly ProviderTool[]
}

export interface AgentOptions<Tools extends AgentTools = AgentTools> {
  /** For people and for the log; no identity. */
  readonly name?: string
  readonly version?: string
  readonly model: ModelProvider
  /** Asked in this order, each where the one before is overloaded, out of quota, or fails for good. */
  readonly fallbacks?: readonly ModelProvider[]
  /** The system prompt, or a function of what `context` returned. */
  readonly instructions?: string | ((context: unknown) => string | Promise<string>)
  /** A list, or a function that gives it: asked when a run begins, or goes on in another process. */
  readonly tools?: Tools | (() => Tools)
  /** Default: memory, gone with the process. */
  readonly store?: SessionStore
  /** For agents on several machines, and for several agents in one process. Default: none. */
  readonly bus?: SessionBus
  /** Values of the app for this run: given to tools and `instructions`, never logged, made anew by whoever runs. */
  readonly context?: (request: ContextRequest) => unknown
  readonly settings?: ModelSettings
  /** Decides what may run, for instance `permissions()`. Default: what a tool's `needsApproval` says. */
  readonly permissions?: PermissionPolicy
  /** Nobody is there to be asked: what would be asked is denied at once. Default false. */
  readonly unattended?: boolean
  /** Holds model calls within budgets, for instance `budget()`. */
  readonly budget?: BudgetPolicy
  /** Allows, masks or blocks what people and models say, for instance `wordList()`. */
  readonly compliance?: CompliancePolicy
  /** Hooks, and further tools, instructions and permission rules. `agent.use()` adds one later. */
  readonly plugins?: readonly Plugin[]
  /** Model calls a run may make. Default 50. */
  readonly maxTurns?: number
  /** Model calls after the last turn, without tools, to sum up. Default 0. */
  readonly graceTurns?: number
  /** Turns with the same calls and the same results after which a run has stalled. Default 5, at least 2. */
  readonly maxRepeats?: number
  readonly timeouts?: Timeouts
  readonly retries?: Retries
  /** What becomes of a run whose process died. Default `finish`: it is closed as `interrupted`. */
  readonly onInterrupted?: 'finish' | 'resume'
  /** Shows what a model is sent. */
  readonly onRequest?: (request: Omit<ModelRequest, 'bytes'>) => void
  readonly logger?: Logger
  readonly clock?: Clock
  readonly ids?: Ids
  /** From 0 to 1, for the jitter of retries. */
  readonly random?: () => number
}

/** The options with every default filled in: what the rooms below work with. */
export interface AgentRuntime {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly model: ModelProvider
  readonly fallbacks: readonly ModelProvider[]
  readonly instructions: AgentOptions['instructions']
  readonly tools: () => RunTools
  readonly store: SessionStore
  readonly heads: Heads
  readonly bus: SessionBus | undefined
  readonly context: (request: ContextRequest) => unknown
  readonly settings: ModelSettings
  readonly permissions: PermissionPolicy | undefined
  readonly unattended: boolean
  readonly budget: BudgetPolicy | undefined
  readonly compliance: CompliancePolicy | undefined
  /** Those in use now, in the order of their hooks. */
  readonly plugins: Plugin[]
  readonly maxTurns: number
  readonly graceTurns: number
  readonly maxRepeats: number
  readonly timeouts: Required<Timeouts>
  readonly retries: Required<Retries>
  readonly onInterrupted: 'finish' | 'resume'
  readonly onRequest: ((request: Omit<ModelRequest, 'bytes'>) => void) | undefined
  readonly logger: Logger
  readonly clock: Clock
  readonly ids: Ids
  readonly random: () => number
  /** `host:pid:random`: who this process is when it takes a lease. */
  readonly owner: string
}
