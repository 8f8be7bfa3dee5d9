import { REDUCER_VERSION, type SessionState } from '../protocol/state.ts'
import { logThrown } from './log-thrown.ts'
import type { AgentRuntime } from './runtime.ts'

/** Keeps the state, so that opening the session need not read its whole log. A store that cannot is none the worse. */
export async function saveSnapshot({ store, logger }: AgentRuntime, state: SessionState): Promise<void> {
  const snapshot: SessionState = { ...state, live: { calls: {}, tasks: {} } }
  try {
    await store.saveSnapshot(state.id, { version: REDUCER_VERSION, seq: state.seq, state: snapshot })
  } catch (thrown) {
    logThrown(logger, 'warn', 'A snapshot could not be saved')(thrown)
  }
}
