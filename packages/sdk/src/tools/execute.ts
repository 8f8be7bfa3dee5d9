import type { Clock } from '../protocol/clock.ts'
import { thrownText } from '../protocol/errors.ts'
import type { ToolProgress } from '../protocol/events.ts'
import type { ToolResult } from '../protocol/messages.ts'
import { outputText } from '../protocol/text.ts'
import { callContext, type ToolHost } from './context.ts'
import { deadline } from './deadline.ts'
import { invoke } from './invoke.ts'
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

  function result({ outcome, code, output }: Outcome, more: Partial<ToolResult> = {}): ToolResult {
    const durationMs = Math.max(0, clock.now() - startedAt)
    return { callId, toolName: tool.name, outcome, output, ...(code !== undefined && { code }), ...more, durationMs }
  }

  if (signal.aborted) return Promise.resolve(result(NEVER_STARTED))

  return new Promise((resolve) => {
    const own = new AbortController()
    const live = liveOutput(clock, onOutput)
    const timer = deadline(clock, tool.timeoutMs, onTimeout)
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

    function abandon(outcome: Outcome): void {
      settle(draft ?? result(outcome, call.declared()))
    }

    function onAbort(): void {
      own.abort(signal.reason)
      if (tool.onAbort === 'cancel' || draft !== undefined) return abandon(ABANDONED)
      timer.cancel()
      stopWaiting = clock.setTimer(() => abandon(ABANDONED), ABORT_WAIT_MS)
    }

    function onTimeout(): void {
      own.abort(new DOMException(`Tool "${tool.name}" ran out of time.`, 'TimeoutError'))
      abandon(timedOut(tool))
    }

    async function finish(outcome: Outcome): Promise<void> {
      if (isOver) return
      timer.cancel()
      const { output, truncatedTo, whole } = limited(outcome.output, tool.maxResultChars)
      const write = () =>
        result({ ...outcome, output }, { ...call.declared(), ...(truncatedTo !== undefined && { truncatedTo }) })
      draft = write()
      await Promise.all([call.presented(), live.settled()])
      draft = write()
      if (whole === undefined && !outcome.images?.length) return settle(draft)
      const { full, images, lost } = await (await import('./rare.ts')).keep(host.blobs, whole, outcome.images ?? [])
      settle({
        ...draft,
        ...(lost.length > 0 && { output: [outputText(output), ...lost].join('\n') }),
        ...(images.length > 0 && { images }),
        ...(full !== undefined && { full }),
      })
    }

    async function failed(error: unknown): Promise<Outcome> {
      const isStopped = signal.aborted
      const { stopped, thrown } = await import('./rare.ts')
      return isStopped ? stopped(error) : thrown(tool.name, error)
    }

    /** Something of ours failed, for instance to load. */
    function unexpected(error: unknown): void {
      settle(
        draft ??
          result({ outcome: 'error', code: 'tool.failed', output: `Tool "${tool.name}" failed: ${thrownText(error)}` }),
      )
    }

    signal.addEventListener('abort', onAbort)
    const work = (): Promise<unknown> => invoke(tool, input, call.ctx, () => isOver)
    ;(host.within?.(work) ?? work())
      .then((value) => returned(tool.name, value), failed)
      .then(finish)
      .catch(unexpected)
  })
}
