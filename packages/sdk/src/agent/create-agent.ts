import type { Plugin } from '../plugins/plugin.ts'
import { SessionError } from '../protocol/errors.ts'
import { hasCode } from '../protocol/has-code.ts'
import type { InputContent, Run } from '../protocol/session.ts'
import { systemIds } from '../protocol/system-ids.ts'
import { memoryStore } from '../stores/memory.ts'
import type { Page, SessionQuery, SessionRow } from '../stores/store.ts'
import { checkOptions } from './check-options.ts'
import {
  ATTEMPT_MS,
  CONNECT_MS,
  IDLE_MS,
  MAX_REPEATS,
  MAX_TURNS,
  RETRIES,
  RETRY_BASE_MS,
  RETRY_MAX_DELAY_MS,
} from './defaults.ts'
import { createHeads } from './heads.ts'
import { registerAgent } from './host.ts'
import { createHub, type Hub } from './hub.ts'
import { logThrown } from './log-thrown.ts'
import type { OpenOptions } from './open-options.ts'
import { plugIn } from './plug-in.ts'
import type { LocalRunOptions, Session } from './run-settings.ts'
import { toolsForRuns } from './run-tools.ts'
import type { AgentOptions, AgentRuntime, AgentTools } from './runtime.ts'
import { sessionHandle } from './session.ts'
import { ownerName, systemClock, systemRandom } from './system.ts'

const DRAIN_MS = 10_000

/** Configuration that can serve any number of sessions. It holds no conversation. */
export interface Agent<Tools extends AgentTools = AgentTools> {
  /** As they were given, or as the given function gives them now. Their types are what a UI knows its tool calls by. */
  readonly tools: Tools
  /** A run on a fresh session. */
  run(input: InputContent, options?: LocalRunOptions): Run
  /** Opens a session, or creates it. Rejects with `session.not-found` for `{ create: false }` and an unknown id. */
  session(id?: string, options?: OpenOptions): Promise<Session>
  sessions(query?: SessionQuery): Promise<Page<SessionRow>>
  /**
   * Adds a plugin. Call what it gives to remove everything that came with it; it resolves when the plugin has ended its
   * sessions. Hooks come and go at once; an open run keeps the tools, instructions and rules it began with. Throws
   * `config.invalid` and `tool.duplicate-name`.
   */
  use(plugin: Plugin): () => Promise<void>
  /** Removes a session with everything in it. Rejects with `session.busy` while a run is open here. */
  delete(id: string): Promise<void>
  /** Waits up to `drainMs` (default 10,000) for open runs, then leaves what is open to the next owner, and closes the store. */
  close(options?: { readonly drainMs?: number }): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Throws a `ConfigError` or a `ToolError` when the options cannot work. */
export function createAgent<const Tools extends AgentTools = readonly []>(options: AgentOptions<Tools>): Agent<Tools> {
  const runtime = resolve(options)
  for (const plugin of options.plugins ?? []) plugIn(runtime, plugin)
  // A session that nobody holds and nobody runs is forgotten: the store has it.
  const hubs = new Map<string, WeakRef<Hub>>()
  const forgotten = new FinalizationRegistry<string>((id) => {
    if (hubs.get(id)?.deref() !== undefined) return
    hubs.delete(id)
    void ended('forgotten', id)
  })
  let closing: Promise<void> | undefined

  function hub(id: string, open: OpenOptions): Hub {
    if (closing !== undefined) throw new SessionError('session.closed', 'The agent was closed.')
    const known = hubs.get(id)?.deref()
    if (known !== undefined) return known
    const made = createHub(id, runtime, open)
    hubs.set(id, new WeakRef(made))
    forgotten.register(made, id)
    made.ready.catch(() => hubs.delete(id))
    return made
  }

  /** Tells the plugins that a session is over here, or all of them are. */
  async function ended(reason: 'closed' | 'deleted' | 'forgotten', sessionId?: string): Promise<void> {
    if (runtime.plugins.length > 0) await (await import('./hooks.ts')).endSessions(runtime, reason, { sessionId })
  }

  async function openHub(id: string, options: OpenOptions): Promise<Hub> {
    for (;;) {
      const opened = hub(id, options)
      try {
        await opened.ready
        return opened
      } catch (thrown) {
        // Whoever asked first may only have looked for it.
        if (options.create === false || !hasCode(thrown, 'session.not-found')) throw thrown
      }
    }
  }

  async function open(id: string, options: OpenOptions): Promise<Session> {
    return sessionHandle(await openHub(id, options), runtime, open)
  }

  async function close(drainMs: number): Promise<void> {
    offSignal?.()
    await Promise.all([...hubs.values()].map((ref) => ref.deref()?.close(drainMs)))
    await ended('closed')
    await runtime.store.close()
  }

  const offSignal = runtime.bus?.onSignal((id) => hubs.get(id)?.deref()?.signal())

  const agent: Agent<Tools> = {
    get tools() {
      const { tools = [] } = options
      return (typeof tools === 'function' ? tools() : tools) as Tools
    },
    run: (input, runOptions) => sessionHandle(hub(runtime.ids('ses'), {}), runtime, open).run(input, runOptions),
    session: (id = runtime.ids('ses'), openOptions = {}) => open(id, openOptions),
    async sessions(query) {
      return runtime.store.list(query)
    },
    use: (plugin) => plugIn(runtime, plugin),
    async delete(id) {
      const open = hubs.get(id)?.deref()
      if (open?.hasOpenRun)
        throw new SessionError('session.busy', 'A run is open. Abort it before you delete its session.')
      hubs.delete(id)
      await open?.close(0)
      await ended('deleted', id)
      await runtime.store.delete(id)
    },
    close({ drainMs = DRAIN_MS } = {}) {
      closing ??= close(drainMs)
      return closing
    },
    [Symbol.asyncDispose]: () => agent.close(),
  }
  registerAgent(agent, {
    runtime,
    open: openHub,
    async handOver(id) {
      const given = hubs.get(id)?.deref()
      hubs.delete(id)
      await given?.close(0)
    },
  })
  return agent
}

function resolve(options: AgentOptions): AgentRuntime {
  checkOptions(options)
  const clock = options.clock ?? systemClock
  const store = options.store ?? memoryStore({ now: () => clock.now() })
  const logger = options.logger ?? { log: () => {} }
  return {
    name: options.name,
    version: options.version,
    model: options.model,
    fallbacks: options.fallbacks ?? [],
    instructions: options.instructions,
    tools: toolsForRuns(options.tools ?? []),
    store,
    heads: createHeads(store, clock, logThrown(logger, 'warn', 'Sessions could not be looked up')),
    bus: options.bus,
    context: options.context ?? (() => undefined),
    settings: options.settings ?? {},
    permissions: options.permissions,
    unattended: options.unattended ?? false,
    budget: options.budget,
    compliance: options.compliance,
    plugins: [],
    maxTurns: options.maxTurns ?? MAX_TURNS,
    graceTurns: options.graceTurns ?? 0,
    maxRepeats: options.maxRepeats ?? MAX_REPEATS,
    timeouts: { connectMs: CONNECT_MS, idleMs: IDLE_MS, attemptMs: ATTEMPT_MS, requestMs: 0, ...options.timeouts },
    retries: { max: RETRIES, baseMs: RETRY_BASE_MS, maxDelayMs: RETRY_MAX_DELAY_MS, ...options.retries },
    onInterrupted: options.onInterrupted ?? 'finish',
    onRequest: options.onRequest,
    logger,
    clock,
    ids: options.ids ?? systemIds,
    random: options.random ?? systemRandom,
    owner: ownerName(),
  }
}
