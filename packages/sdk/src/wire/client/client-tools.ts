import type { Logger } from '../../agent/runtime.ts'
import { StepwellError, thrownText } from '../../protocol/errors.ts'
import type { Request, Resolution } from '../../protocol/requests.ts'
import type { AgentSession } from '../../protocol/session.ts'
import { outputText } from '../../protocol/text.ts'
import { executeCall } from '../../tools/execute.ts'
import { prepareCall } from '../../tools/prepare.ts'
import type { Tool } from '../../tools/tool.ts'
import { toolSet } from '../../tools/tool-set.ts'
import { blobsOf } from './blobs.ts'
import type { Feed } from './feed.ts'
import type { Http } from './http.ts'

export interface ClientToolsOptions {
  readonly feed: Feed
  readonly http: Http
  readonly tools: readonly Tool[]
  readonly logger: Logger | undefined
  /** Answers the request. The same command may be sent again. */
  resolve: AgentSession['resolve']
}

/** What the handles of a session share. */
interface Answering {
  /** Requests that a tool of one of them answers or has answered. */
  readonly ids: Set<string>
  /** Has each of them look for requests that it can answer. */
  readonly looks: Set<() => void>
}

const answeringOf = new WeakMap<Feed, Answering>()

function answeringFor(feed: Feed): Answering {
  const answering = answeringOf.get(feed) ?? { ids: new Set(), looks: new Set() }
  answeringOf.set(feed, answering)
  return answering
}

/**
 * Runs these tools where the session asks for them, and answers: every open request once, also one that was asked
 * before. Of several pages the first answer counts. Gives what ends it; then what still runs is aborted unanswered.
 */
export function answerRequests(options: ClientToolsOptions): () => void {
  const { feed, http, logger } = options
  const tools = toolSet(options.tools)
  const { ids, looks } = answeringFor(feed)
  const { environment } = http
  const running = new Map<string, AbortController>()

  function look(): void {
    const { requests } = feed.state.pending
    for (const [id, call] of running) if (!requests.some((request) => request.id === id)) call.abort()
    for (const request of requests) {
      if (request.kind !== 'client-tool' || !tools.has(request.tool?.name ?? '') || ids.has(request.id)) continue
      ids.add(request.id)
      const call = new AbortController()
      running.set(request.id, call)
      void answer(request, call.signal)
        .catch((thrown) => {
          const details = { request: request.id, error: thrownText(thrown) }
          logger?.log('error', 'A tool of the client could not be answered', details)
        })
        .finally(() => running.delete(request.id))
    }
  }

  async function answer(request: Request, signal: AbortSignal): Promise<void> {
    const resolution = await run(request, signal)
    const commandId = environment.ids('cmd')
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        return void (await options.resolve(request.id, resolution, { commandId }))
      } catch (thrown) {
        if (!(thrown instanceof StepwellError && thrown.retryable)) throw thrown
        await http.backOff(failures, signal)
      }
    }
  }

  async function run({ id, callId = id, tool }: Request, signal: AbortSignal): Promise<Resolution> {
    const { history, run: open } = feed.state
    const call = { callId, toolName: tool?.name ?? '', input: tool?.input ?? {} }
    const prepared = await prepareCall(tools, call, { context: undefined, history })
    if (!prepared.ok) return { error: outputText(prepared.result.output) }
    const host = {
      sessionId: feed.id,
      runId: open?.id ?? '',
      turn: open?.turn ?? 0,
      context: undefined,
      history,
      ids: environment.ids,
      blobs: blobsOf(http, feed),
    }
    const { outcome, output } = await executeCall({
      tool: prepared.tool,
      input: prepared.input,
      callId,
      host,
      signal,
      clock: environment.clock,
      onOutput: () => {},
    })
    return outcome === 'ok' ? { output } : { error: outputText(output) }
  }

  const unsubscribe = feed.subscribe(look)
  looks.add(look)
  look()
  return () => {
    unsubscribe()
    looks.delete(look)
    for (const [id, call] of running) {
      ids.delete(id)
      call.abort()
    }
    // Another handle's tool takes over: not one that is closed right after this one.
    void Promise.resolve().then(() => {
      for (const other of looks) other()
    })
  }
}
