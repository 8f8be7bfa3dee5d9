import type { ModelProvider } from '../providers/provider.ts'
import type { SessionStore } from '../stores/store.ts'

/** What the flags of `stepwell run` named, for a module of `--agent` that exports a function of it. */
export interface AgentSetup {
  /** Of `--model`. */
  readonly model?: ModelProvider
  /** Of `--store`. The agent closes it. */
  readonly store?: SessionStore
}
