import type { Clock } from '../protocol/clock.ts'
import { thrownText } from '../protocol/errors.ts'
import type { ToolProgress } from '../protocol/events.ts'
import { defined } from '../protocol/fields.ts'
import type { ToolResult } from '../protocol/messages.ts'
import { callContext, type ToolHost } from './context.ts'
import { deadline } from './deadline.ts'
import { invoke } from './invoke.ts'
import { rare } from './late.ts'
import { liveOutput } from './live-output.ts'
import { ABANDONED, NEVER_STARTED, type Outcome, timedOut } from './outcome.ts'
import { limited, returned } from './result.ts'
import type { Tool } from './tool.ts'

/** How long a tool with `onAbort: 'wait'` may go on after the run was stopped. */
const ABORT_WAIT_MS = 10_000

export interface ExecuteOptions {
  readonly tool: Tool
  /** Validated already, see `prepareCall`. */
  readonly input: unknown
  readonly callId: string
  readonly host: ToolHost
  /** The run's. There is one listener on it while the call runs, and none after. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Live output for people; the last of it comes before the result. */
  onOutput(text: string, progress?: ToolProgress): void
}

/**
 * Runs one call to exactly one result. Never rejects, whatever the tool throws, returns or leaves undone: a tool that
 * does not answer when it is stopped or out of time is abandoned, and what it does later is ignored.
 */
export function executeCall(options: ExecuteOptions): Promise<ToolResult> {
  const { tool, input, callId, host, signal, clock, onOutput } = options
  const startedAt = clock.now()

  return new Promise((resolve) => {
    const own = new AbortController()
    const live = liveOutput(clock, onOutput)
    const timer = deadline(clock, tool.timeoutMs, () => {
      own.abort(new DOMException(`Tool "${tool.name}" ran out of time.`, 'TimeoutError'))
      leave(timedOut(tool))
    })
    const call = callContext({
      host,
      callId,
      toolName: tool.name,
      signal: own.signal,
      output: live.push,
      onAsk: timer.pause,
      onAnswer: timer.resume,
    })
    let isOver = false
    /** The result of a tool that has returned, while its bytes are still being stored. */
    let draft: ToolResult | undefined
    let stopWaiting = () => {}

    function result({ outcome, code, output }: Outcome, truncatedTo?: number): ToolResult {
      const durationMs = Math.max(0, clock.now() - startedAt)
      return defined({
        callId,
        toolName: tool.name,
        outcome,
        output,
        code,
        ...call.declared(),
        truncatedTo,
        durationMs,
      })
    }

    function settle(settled: ToolResult): void {
      if (isOver) return
      isOver = true
      signal.removeEventListener('abort', onAbort)
      timer.cancel()
      stopWaiting()
      call.close()
      live.end()
      resolve(settled)
    }

    /** What the tool does from now on is ignored. */
    function leave(outcome: Outcome): void {
      settle(draft ?? result(outcome))
    }

    function onAbort(): void {
      own.abort(signal.reason)
      if (tool.onAbort === 'cancel' || draft !== undefined) return leave(ABANDONED)
      timer.cancel()
      stopWaiting = clock.setTimer(() => leave(ABANDONED), ABORT_WAIT_MS)
    }

    async function finish(outcome: Outcome): Promise<void> {
      if (isOver) return
      timer.cancel()
      const { images = [] } = outcome
      const { output, truncatedTo, whole } = limited(outcome.output, tool.maxResultChars)
      const write = () => result({ ...outcome, output }, truncatedTo)
      draft = write()
      await Promise.all([call.presented(), live.settled()])
      draft = write()
      if (whole === undefined && images.length === 0) return settle(draft)
      const { keep } = await rare()
      settle({ ...draft, ...(await keep(host.blobs, { output, whole, images })) })
    }

    async function failed(error: unknown): Promise<Outcome> {
      const isStopped = signal.aborted
      const { stopped, thrown } = await rare()
      return isStopped ? stopped(error) : thrown(tool.name, error)
    }

    if (signal.aborted) return leave(NEVER_STARTED)
    signal.addEventListener('abort', onAbort)
    const work = (): Promise<unknown> => invoke(tool, input, call.ctx, () => isOver)
    ;(host.within?.(work) ?? work())
      .then((value) => returned(tool.name, value), failed)
      .then(finish)
      .catch((error) => {
        // Something of ours failed, for instance to load.
        leave({ outcome: 'error', code: 'tool.failed', output: `Tool "${tool.name}" failed: ${thrownText(error)}` })
      })
  })
}
