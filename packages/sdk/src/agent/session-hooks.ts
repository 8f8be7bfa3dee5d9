import { askHooks, textOf } from '../plugins/ask-hooks.ts'
import type { HookBase, SessionEndHook } from '../plugins/hook-events.ts'
import type { Plugin } from '../plugins/plugin.ts'
import { debugLog, failedNotice, hookBase, hookHost, runHook } from './hook-host.ts'
import type { RunScope } from './run-scope.ts'
import type { AgentRuntime } from './runtime.ts'

interface Begun {
  readonly base: HookBase
  readonly plugins: Set<Plugin>
}

/** The sessions that ran here, by id, of each agent with plugins. */
const begun = new WeakMap<AgentRuntime['plugins'], Map<string, Begun>>()

/** Before a run: tells the plugins that have not met its session here. */
export async function beginSession(run: RunScope): Promise<void> {
  const { plugins } = run.runtime
  const sessions = begun.get(plugins) ?? new Map<string, Begun>()
  begun.set(plugins, sessions)
  const { state } = run
  const session = sessions.get(state.id) ?? { base: hookBase(state), plugins: new Set() }
  sessions.set(state.id, session)
  const reason = state.lastFinish === undefined && run.turns === 0 ? 'new' : 'resumed'
  for (const plugin of [...plugins]) {
    if (run.signal.aborted) return
    if (session.plugins.has(plugin)) continue
    session.plugins.add(plugin)
    await askHooks({ ...hookHost(run), plugins: [plugin] }, 'session:start', {
      event: () => ({ hook: 'session:start', ...runHook(run), reason }),
      take: (given) => void run.tellModel(textOf(given, 'note')),
    })
  }
}

/** Tells plugins that sessions are over here: those of one session, or of one plugin, or all. */
export async function endSessions(
  runtime: AgentRuntime,
  reason: SessionEndHook['reason'],
  { sessionId, plugin }: { readonly sessionId?: string | undefined; readonly plugin?: Plugin },
): Promise<void> {
  const sessions = begun.get(runtime.plugins)
  if (sessions === undefined) return
  const due = [...sessions].filter(([id]) => sessionId === undefined || id === sessionId)
  await Promise.all(
    due.map(async ([id, session]) => {
      const told = [...session.plugins].filter((met) => plugin === undefined || met === plugin)
      for (const met of told) session.plugins.delete(met)
      if (session.plugins.size === 0) sessions.delete(id)
      await askHooks(
        {
          plugins: told,
          clock: runtime.clock,
          context: undefined,
          history: [],
          log: debugLog(runtime),
          failed: (...failure) => runtime.logger.log('warn', failedNotice(...failure).text, { sessionId: id }),
        },
        'session:end',
        { event: () => ({ hook: 'session:end', ...session.base, reason }) },
      )
    }),
  )
}
