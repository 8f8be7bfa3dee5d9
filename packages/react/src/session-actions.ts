import type { AgentSession } from '@stepwell/sdk'
import type { SessionView } from '@stepwell/sdk/view'

type Bound = 'send' | 'steer' | 'queue' | 'run' | 'retry' | 'discard' | 'stop' | 'resolve' | 'loadBefore'

/** What can be done to a session. All functions are bound, and the same ones as long as the session is. */
export interface SessionActions
  extends Pick<SessionView, Bound>,
    Pick<AgentSession, 'continue' | 'changeInput' | 'rewind' | 'update' | 'fork'> {}

export function actionsOf(view: SessionView): SessionActions {
  const { send, steer, queue, run, retry, discard, stop, resolve, loadBefore, session } = view
  const { continue: goOn, changeInput, rewind, update, fork } = session
  return {
    send,
    steer,
    queue,
    run,
    retry,
    discard,
    stop,
    resolve,
    loadBefore,
    continue: goOn,
    changeInput,
    rewind,
    update,
    fork,
  }
}
