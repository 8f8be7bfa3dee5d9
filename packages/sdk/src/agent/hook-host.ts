import type { HookHost } from '../plugins/ask-hooks.ts'
import type { HookBase, RunHook } from '../plugins/hook-events.ts'
import type { HookName, Plugin } from '../plugins/plugin.ts'
import type { EventDraft } from '../protocol/events.ts'
import type { SessionState } from '../protocol/state.ts'
import type { RunScope } from './run-scope.ts'
import type { AgentRuntime } from './runtime.ts'

/** Where the hooks of a run are called from. A failure is told once a run, and while it is open: its end is the last word. */
export function hookHost(run: RunScope): HookHost {
  return {
    plugins: run.runtime.plugins,
    clock: run.clock,
    context: run.prepared.context,
    get history() {
      return run.state.history
    },
    stopped: run.signal,
    log: debugLog(run.runtime),
    failed(...failure) {
      const notice = failedNotice(...failure)
      const isKnown = run.state.notices.some(({ runId, text }) => runId === run.id && text === notice.text)
      if (!isKnown && run.state.run?.id === run.id) run.sequence([{ ...notice, runId: run.id }])
    },
  }
}

export function failedNotice({ name }: Plugin, hook: HookName, why: string): EventDraft & { type: 'notice' } {
  const text = `The hook ${hook} of the plugin "${name}" failed: ${why}`
  return { type: 'notice', code: 'hook.failed', text, details: { plugin: name, hook } }
}

export function debugLog({ logger }: AgentRuntime): HookHost['log'] {
  return (message, details) => logger.log('debug', message, details)
}

/** What every hook of a session is told. */
export function hookBase({ id: sessionId, row: { principal } }: SessionState): HookBase {
  return { sessionId, ...(principal !== undefined && { principal }) }
}

/** What every hook of a run is told. */
export function runHook({ id: runId, state, by, turns: turn }: RunScope): RunHook {
  return { ...hookBase(state), runId, ...(by !== undefined && { by }), turn }
}
