import { type ErrorInfo, StepwellError } from './errors.ts'
import type { AgentEvent, FinishReason, UsageEvent } from './events.ts'
import { defined } from './fields.ts'
import type { RunResult } from './session.ts'
import { replyText } from './text.ts'
import type { UsageTotals } from './usage.ts'

/** How a run ends that was refused with these. */
const REASONS: Readonly<Record<string, FinishReason>> = {
  'session.aborted': 'aborted',
  'compliance.blocked': 'compliance',
}

/** What a run comes to, told from its events: the same in this process and behind a server. */
export class RunOutcome {
  #text = ''
  #lastStop: UsageEvent['stop'] | undefined

  /** Hears of every event of the run, in order. Gives the result with its `finish`. */
  take(event: AgentEvent): RunResult | undefined {
    if (event.type === 'usage') this.#lastStop = event.stop
    if (event.type === 'message' && event.message.role === 'assistant') {
      // What follows a pause is the same answer, going on.
      this.#text = (this.#lastStop === 'pause' ? this.#text : '') + replyText(event.message)
    }
    if (event.type !== 'finish') return undefined
    const { runId, reason, usage, error, output } = event
    return defined({ runId, reason, text: this.#text, usage, error, output, recorded: true })
  }

  /** Nothing more will come of the run. `run`: its usage so far, of one that began. */
  refused(
    runId: string,
    error: ErrorInfo | undefined,
    { run = { requests: 0 }, total }: { readonly run?: UsageTotals; readonly total: UsageTotals },
  ): RunResult {
    const reason = REASONS[error?.code ?? ''] ?? 'error'
    return defined({ runId, reason, text: this.#text, usage: { run, total }, error, recorded: false })
  }
}

/** The text of a run that ended with `stop`; rejects for any other. */
export async function textOf(result: Promise<RunResult>): Promise<string> {
  const { reason, text, error } = await result
  if (reason === 'stop') return text
  const message = error?.message ?? `The run ended with "${reason}".`
  throw new StepwellError(error?.code ?? `run.${reason}`, message, { retryable: error?.retryable ?? false })
}
