import type { Logger } from '../../agent/runtime.ts'
import { thrownText } from '../../protocol/errors.ts'
import { canonicalJson, type JsonObject, normalise } from '../../protocol/json.ts'
import type { SessionState } from '../../protocol/state.ts'
import type { AGUIEvent } from './events.ts'

/** The state that an application shares with its clients: told at first, and whenever it has become another one. */
export class SharedState {
  readonly #project: ((state: SessionState) => JsonObject) | undefined
  readonly #logger: Logger
  #seen: SessionState | undefined
  #told: string | undefined

  constructor(project: ((state: SessionState) => JsonObject) | undefined, logger: Logger) {
    this.#project = project
    this.#logger = logger
  }

  show(state: SessionState): AGUIEvent[] {
    const before = this.#seen
    this.#seen = state
    if (this.#project === undefined || (before !== undefined && isTextOnly(before, state))) return []
    try {
      const snapshot = normalise(this.#project(state)) as JsonObject
      const text = canonicalJson(snapshot)
      if (text === this.#told) return []
      this.#told = text
      return [{ type: 'STATE_SNAPSHOT', snapshot }]
    } catch (thrown) {
      this.#logger.log('error', 'The shared state could not be told', { error: thrownText(thrown) })
      return []
    }
  }
}

/** Whether only the reply grew: an application is not asked for every word. */
function isTextOnly(before: SessionState, { row, history, tasks, deliverables, run }: SessionState): boolean {
  return (
    before.row === row &&
    before.history === history &&
    before.tasks === tasks &&
    before.deliverables === deliverables &&
    before.run?.id === run?.id
  )
}
