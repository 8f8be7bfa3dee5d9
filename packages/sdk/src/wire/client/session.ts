import type { Logger } from '../../agent/runtime.ts'
import { type RunSettings, runIdOf } from '../../protocol/commands.ts'
import { errorOf, thrownText } from '../../protocol/errors.ts'
import { lateEvents, lateRun } from '../../protocol/late-run.ts'
import type { UserPart } from '../../protocol/messages.ts'
import type { Connection, RemoteSession } from '../../protocol/remote-session.ts'
import type { CommandOptions, InputContent, Run, RunOptions } from '../../protocol/session.ts'
import type { Tool } from '../../tools/tool.ts'
import type { SentCommand } from './commands.ts'
import type { Feed } from './feed.ts'
import type { Http } from './http.ts'
import type { StartCommand } from './run-handle.ts'

export interface HandleOptions {
  readonly feed: Feed
  readonly http: Http
  readonly tools: readonly Tool[]
  readonly logger: Logger | undefined
  /** Opens another session of the client. */
  open(id: string): RemoteSession
}

/** A handle of a session behind a server. Any number of handles share one feed. */
export function sessionHandle({ feed, http, tools, logger, open }: HandleOptions): RemoteSession {
  const { ids } = http.environment
  const { submit } = feed
  /** What ends with this handle. */
  const held = new Set<() => void>()
  /** Once it is closed. */
  let closed: Connection | undefined

  function hold(release: () => void): () => void {
    const once = (): void => {
      held.delete(once)
      release()
    }
    held.add(once)
    return once
  }

  /** The id of a command: the caller's or a new one. */
  const idOf = ({ commandId }: CommandOptions = {}, prefix = 'cmd'): string => commandId ?? ids(prefix)

  const late = () => http.late(() => import('./rare.ts'))

  /** The input as it is sent. Whether it is one is the server's to say. */
  async function stored(input: InputContent): Promise<UserPart[]> {
    return typeof input === 'string' ? [{ type: 'text', text: input }] : (await late()).uploaded(http, feed, input)
  }

  /** What a command carries of a run's options. That it can be done is the server's to check. */
  async function settingsOf(options: RunOptions): Promise<RunSettings> {
    const { signal: _signal, by: _by, commandId: _commandId, output, ...settings } = options
    return output === undefined ? settings : { ...settings, output: await (await late()).outputSchema(output) }
  }

  function runOf(runId: string, start?: StartCommand): Run {
    const loading = late().then(({ runHandle }) => runHandle({ feed, http, runId, start }))
    return lateRun(runId, loading, () => feed.state.usage.total, start?.receipt)
  }

  function startRun(
    prefix: 'in' | 'cmd',
    command: (id: string, settings: RunSettings) => SentCommand | Promise<SentCommand>,
    options: RunOptions = {},
  ): Run {
    const commandId = idOf(options, prefix)
    const { signal } = options
    const receipt = signal?.aborted
      ? Promise.reject(errorOf('session.aborted', 'The signal was aborted already.'))
      : submit(async () => command(commandId, await settingsOf(options)))
    receipt.catch(() => {})
    // An id of the caller's may have been used before, and what goes on may be an input that waits.
    const isNew = prefix === 'in' && options.commandId === undefined
    const stop = (): void => void session.abort(run.id).catch(() => {})
    const onEnd = (): void => signal?.removeEventListener('abort', stop)
    const run = runOf(runIdOf(commandId), { commandId, isNew, receipt, onEnd })
    signal?.addEventListener('abort', stop)
    return run
  }

  const session: RemoteSession = {
    id: feed.id,
    get ready() {
      return feed.load()
    },
    get state() {
      return feed.state
    },
    get connection() {
      return closed ?? feed.connection
    },
    get hasBefore() {
      return feed.hasBefore
    },
    subscribe: (listener) => hold(feed.subscribe(listener)),
    subscribeConnection: (listener) => hold(feed.subscribeConnection(listener)),
    loadBefore: async (limit) => (await late()).loadBefore(http, feed, limit),
    events({ after = 0, signal } = {}) {
      const loading = late().then(({ readEvents }) =>
        readEvents({ feed, http, after: () => after, signal, onEnd: () => held.delete(release) }),
      )
      const reader = lateEvents(loading)
      const release = hold(() => void reader.return().catch(() => {}))
      return reader
    },
    run: (content, options) =>
      startRun(
        'in',
        async (id, settings) => {
          return { type: 'input', id, mode: 'run', parts: await stored(content), options: settings }
        },
        options,
      ),
    continue: (options) => startRun('cmd', (id, settings) => ({ type: 'continue', id, options: settings }), options),
    send: (content, options = {}) =>
      submit(async () => {
        const { mode = 'steer', supersede } = options
        return { type: 'input', id: idOf(options, 'in'), mode, supersede, parts: await stored(content) }
      }),
    follow: (runId) => runOf(runId),
    abort: (runId, options) => submit(() => ({ type: 'abort', id: idOf(options), runId })),
    resolve: (requestId, answer, options) =>
      submit(() => {
        const resolution = typeof answer === 'string' ? { decision: answer } : answer
        return { type: 'resolve', id: idOf(options), requestId, resolution }
      }),
    changeInput: (inputId, { input: content, lane, remove }, options) =>
      submit(async () => {
        const parts = content === undefined ? content : await stored(content)
        return { type: 'input-change', id: idOf(options), inputId, lane, remove, parts }
      }),
    settled: async (inputId) => (await late()).settledInput(http, feed, inputId),
    rewind: (toMessageId, options) => submit(() => ({ type: 'rewind', id: idOf(options), toMessageId })),
    update: (row, options) => submit(() => ({ type: 'update', id: idOf(options), row })),
    fork: async (options) => (await late()).fork(http, feed, options, open),
    async close() {
      closed ??= { status: 'closed' }
      for (const release of held) release()
    },
  }

  // Whether anybody waits for it or not, it is read.
  feed.load().catch(() => {})
  if (tools.length > 0) {
    http
      .late(() => import('./client-tools.ts'))
      .then(({ answerRequests }) => {
        if (!closed) hold(answerRequests({ feed, http, tools, logger, resolve: session.resolve }))
      })
      .catch((thrown: unknown) => {
        logger?.log('error', 'Tools did not load', { error: thrownText(thrown) })
      })
  }
  return session
}
