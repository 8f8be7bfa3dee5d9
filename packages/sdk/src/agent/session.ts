import type { Command, Receipt, RunSettings, SessionPatch } from '../protocol/commands.ts'
import { runIdOf } from '../protocol/commands.ts'
import { defined } from '../protocol/fields.ts'
import { normalise, normaliseText } from '../protocol/json.ts'
import type { UserPart } from '../protocol/messages.ts'
import type { Resolution } from '../protocol/requests.ts'
import type { CommandOptions, InputContent, Run } from '../protocol/session.ts'
import type { OpenSession } from './fork.ts'
import type { Hub } from './hub.ts'
import { storedInput } from './input-content.ts'
import { readEvents } from './reader.ts'
import { followRun, startRun } from './run-handle.ts'
import type { LocalRunOptions, Session } from './run-settings.ts'
import type { AgentRuntime } from './runtime.ts'

type Without<C, K extends PropertyKey> = C extends unknown ? Omit<C, K> : never
/** What is a command's own. */
type Fields = Without<Command, 'id' | 'at' | 'by'>

/** A handle of a session in this process. Any number of handles share one hub. */
export function sessionHandle(hub: Hub, runtime: AgentRuntime, open: OpenSession): Session {
  const { feed, ready } = hub
  const { ids } = runtime
  /** What ends with this handle. */
  const held = new Set<() => void>()

  /** Hands a command in: its place in the order is that of this call. */
  function submit(
    coming: Fields | Promise<Fields>,
    { by, commandId }: CommandOptions = {},
    id = commandId ?? ids('cmd'),
  ): Promise<Receipt> {
    const common = { id: normaliseText(id), at: runtime.clock.now(), ...(by !== undefined && { by }) }
    const command = Promise.resolve(coming).then((fields): Command => ({ ...fields, ...common }))
    return hub.submit(command, commandId !== undefined)
  }

  function stored(input: InputContent): Promise<UserPart[]> {
    return storedInput(input, hub.id, { store: feed.store, ready })
  }

  /** A run of a command that `fields` gives, once it is known what the run is to be like. */
  function start(prefix: 'in' | 'cmd', options: LocalRunOptions = {}, fields: () => Promise<Fields>): Run {
    const { signal } = options
    const commandId = normaliseText(options.commandId ?? ids(prefix))
    return startRun(hub, runIdOf(commandId), {
      signal,
      start() {
        const asked = Promise.all([fields(), given(commandId, options)])
        const command = asked.then(([own, settings]): Fields => ({ ...own, ...settings }))
        return submit(command, options, commandId)
      },
      stop: (runId) => void session.abort(runId).catch(() => {}),
    })
  }

  /** What a run is to be like, where that is said at all. */
  async function given(id: string, options: LocalRunOptions): Promise<{ options?: RunSettings }> {
    const { by: _by, commandId: _id, signal: _signal, ...asked } = options
    if (Object.keys(asked).length === 0) return {}
    const { runSettings, runtimeFor } = await import('./rare.ts')
    const other = runtimeFor(runtime, asked)
    const settings = await runSettings(asked, other)
    if (other !== runtime) hub.lend(runIdOf(id), other)
    return Object.keys(settings).length > 0 ? { options: settings } : {}
  }

  const session: Session = {
    id: hub.id,
    ready,
    get state() {
      return feed.state
    },
    subscribe(listener) {
      const unsubscribe = feed.subscribe(listener)
      const release = (): void => {
        held.delete(release)
        unsubscribe()
      }
      held.add(release)
      return release
    },
    events({ after = 0, signal } = {}) {
      const release = (): void => void reader.return()
      const onEnd = (): void => void held.delete(release)
      held.add(release)
      const reader = readEvents({ feed, ready, after: () => after, signal, onEnd })
      return reader
    },
    run: (input, options) =>
      start('in', options, async () => ({ type: 'input', mode: 'run', parts: await stored(input) })),
    continue: (options) => start('cmd', options, async () => ({ type: 'continue' })),
    send(input, options = {}) {
      const { mode = 'steer', supersede, commandId = ids('in') } = options
      // What is said in place of an answer is what the model reads next.
      const lane = { mode: supersede ? 'steer' : mode, ...(supersede && { supersede }) } as const
      const command = stored(input).then((parts): Fields => ({ type: 'input', parts, ...lane }))
      return submit(command, options, commandId)
    },
    follow: (runId) => followRun(hub, runId),
    abort: (runId, options) => submit(defined({ type: 'abort', runId }), options),
    update: (patch, options) => submit({ type: 'update', row: normalise(patch) as SessionPatch }, options),
    resolve(requestId, answer, options) {
      const resolution = typeof answer === 'string' ? { decision: answer } : (normalise(answer) as Resolution)
      return submit({ type: 'resolve', requestId, resolution }, options)
    },
    changeInput(inputId, change, options) {
      const command = import('./rare.ts').then(({ inputChange }) => inputChange(inputId, change, stored))
      return submit(command, options)
    },
    rewind: (toMessageId, options) => submit(defined({ type: 'rewind', toMessageId }), options),
    async settled(inputId) {
      await ready
      return (await import('./rare.ts')).settledInput(feed, inputId)
    },
    async fork(options = {}) {
      await ready
      return (await import('./rare.ts')).fork(feed, runtime, options, open)
    },
    async close() {
      for (const release of [...held]) release()
    },
  }
  return session
}
