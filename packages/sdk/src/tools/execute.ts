import type { Clock } from '../protocol/clock.ts'
import type { ToolProgress } from '../protocol/events.ts'
import type { ToolResult } from '../protocol/messages.ts'
import { outputText } from '../protocol/text.ts'
import { callContext, type ToolHost } from './context.ts'
import { deadline } from './deadline.ts'
import { invoke } from './invoke.ts'
import { outputPump } from './output.ts'
import { ABANDONED, keep, limited, NEVER_STARTED, type Outcome, returned, stopped, thrown, timedOut } from './result.ts'
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
    const pump = outputPump(clock, onOutput)
    const timer = deadline(clock, tool.timeoutMs, onTimeout)
    const call = callContext({
      host,
      callId,
      toolName: tool.name,
      signal: own.signal,
      output: pump.push,
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
      pump.end()
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
      await call.presented()
      draft = write()
      const { full, images, lost } = await keep(host.blobs, whole, outcome.images ?? [])
      settle({
        ...draft,
        ...(lost.length > 0 && { output: [outputText(output), ...lost].join('\n') }),
        ...(images.length > 0 && { images }),
        ...(full !== undefined && { full }),
      })
    }

    signal.addEventListener('abort', onAbort)
    invoke(tool, input, call.ctx, () => isOver)
      .then(
        (value) => returned(tool.name, value),
        (error: unknown) => (signal.aborted ? stopped(error) : thrown(tool.name, error)),
      )
      .then(finish)
      .catch((error: unknown) => settle(result(thrown(tool.name, error))))
  })
}
