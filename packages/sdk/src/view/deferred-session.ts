import type { Ids } from '../protocol/clock.ts'
import { runIdOf } from '../protocol/commands.ts'
import { errorInfo } from '../protocol/errors.ts'
import { lateRun } from '../protocol/late-run.ts'
import type { Connection } from '../protocol/remote-session.ts'
import type { Run, RunOptions } from '../protocol/session.ts'
import { initialState } from '../protocol/state.ts'
import { systemIds } from '../protocol/system-ids.ts'
import { NO_USAGE } from '../protocol/usage.ts'
import { addListener, type Listeners, tell } from './listeners.ts'
import type { SessionPreload } from './preload.ts'
import type { ViewedSession } from './viewed-session.ts'

export interface DeferredSessionOptions {
  /** Absent for a session that is still to be made: its id is empty until then. */
  readonly id?: string
  /** Called once. After a failure again, when something needs the session once more. */
  open(): ViewedSession | Promise<ViewedSession>
  /** Shown until the session is there. */
  readonly preload?: SessionPreload | undefined
  readonly ids?: Ids
}

type Shown = Pick<ViewedSession, 'state' | 'hasBefore'>

/** How a listener is attached to the opened session. Gives the removal. */
type Attach = (session: ViewedSession) => (() => void) | undefined

const CONNECTING: Connection = { status: 'connecting' }
const LIVE: Connection = { status: 'live' }

/**
 * A session that is opened when somebody subscribes to it, or by its first command. One without an id is made by its first
 * command alone.
 */
export function deferredSession(options: DeferredSessionOptions): ViewedSession {
  const { id, preload, ids = systemIds } = options
  const first: Shown = preload ?? { state: initialState(id ?? '') }
  const attached = new Map<Attach, ReturnType<Attach>>()
  const onConnection: Listeners = new Map()
  let connection = id === undefined ? LIVE : CONNECTING
  let opening: Promise<ViewedSession> | undefined
  let opened: ViewedSession | undefined

  function opens(): Promise<ViewedSession> {
    if (opening === undefined) {
      const attempt = async () => options.open()
      opening = attempt().then(onOpened).catch(onFailure)
      connected(CONNECTING)
    }
    return opening
  }

  function onOpened(session: ViewedSession): ViewedSession {
    opened = session
    for (const attach of attached.keys()) attached.set(attach, attach(session))
    connected(LIVE)
    return session
  }

  function onFailure(thrown: unknown): never {
    opening = undefined
    connected({ status: 'failed', error: errorInfo(thrown) })
    throw thrown
  }

  function connected(next: Connection): void {
    connection = next
    tell(onConnection)
  }

  function attach(to: Attach): () => void {
    attached.set(to, opened && to(opened))
    // Why it failed is in `connection`.
    if (!isDraft()) opens().catch(() => {})
    return () => {
      attached.get(to)?.()
      attached.delete(to)
    }
  }

  function isDraft(): boolean {
    return id === undefined && opening === undefined
  }

  /** A draft is not made by those who only look. */
  function looked(): Promise<ViewedSession> {
    if (!isDraft()) return opens()
    return new Promise((resolve) => attach((session) => void resolve(session)))
  }

  /** Where nothing is known of the opened session yet, what was known before is shown. */
  function shown(): Shown {
    return opened?.state.seq ? opened : first
  }

  function begin(
    prefix: string,
    given: RunOptions | undefined,
    start: (session: ViewedSession, options: RunOptions) => Run,
  ): Run {
    const commandId = given?.commandId ?? ids(prefix)
    return lateRun(
      runIdOf(commandId),
      opens().then((session) => start(session, { ...given, commandId })),
      () => NO_USAGE,
    )
  }

  return {
    get id() {
      return opened?.id ?? id ?? ''
    },
    get ready() {
      return looked().then((session) => session.ready)
    },
    get state() {
      return shown().state
    },
    get connection() {
      return opened?.connection ?? connection
    },
    get hasBefore() {
      return shown().hasBefore === true
    },
    loadBefore: async (limit) => (await opens()).loadBefore?.(limit),
    subscribe: (listener) => attach((session) => session.subscribe(listener)),
    subscribeConnection(listener) {
      const remove = addListener(onConnection, listener)
      const detach = attach((session) => session.subscribeConnection?.(listener))
      return () => {
        remove()
        detach()
      }
    },
    async *events(given) {
      yield* (await looked()).events(given)
    },
    run: (input, given) => begin('in', given, (session, settings) => session.run(input, settings)),
    continue: (given) => begin('cmd', given, (session, settings) => session.continue(settings)),
    follow: (runId) =>
      lateRun(
        runId,
        opens().then((session) => session.follow(runId)),
        () => NO_USAGE,
      ),
    send: async (input, given) => (await opens()).send(input, given),
    abort: async (runId, given) => (await opens()).abort(runId, given),
    resolve: async (requestId, answer, given) => (await opens()).resolve(requestId, answer, given),
    changeInput: async (inputId, change, given) => (await opens()).changeInput(inputId, change, given),
    settled: async (inputId) => (await opens()).settled(inputId),
    rewind: async (toMessageId, given) => (await opens()).rewind(toMessageId, given),
    fork: async (given) => (await opens()).fork(given),
    update: async (patch, given) => (await opens()).update(patch, given),
    async close() {
      await opened?.close()
    },
  }
}
