import type { SessionState } from '@stepwell/sdk'
import { callTitle, duration } from './calls.ts'
import { oneLine } from './printable.ts'

const SPINNER = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']
const FRAME_MS = 100
/** Characters, so that there is room for the rest. */
const DOING = 40

/** What is going on, in at most `columns` characters. `elapsedMs` moves the spinner too. */
export function statusLine(state: SessionState, now: number, elapsedMs: number, columns: number): string {
  const frame = SPINNER[Math.floor(elapsedMs / FRAME_MS) % SPINNER.length]
  const words = [`${frame} ${doing(state, now)}`, duration(elapsedMs), 'Ctrl-C stops', ...usageWords(state.usage)]
  return oneLine(words.join(' · '), columns)
}

function doing({ status, live, pending }: SessionState, now: number): string {
  if (status === 'stopping') return 'stopping'
  if (live.activity?.kind === 'retrying') {
    const { error, until } = live.activity
    const wait = until === undefined ? '' : ` in ${Math.max(0, Math.ceil((until - now) / 1_000))} s`
    return `trying again${wait}${error ? ` (${error.code})` : ''}`
  }
  const running = Object.values(live.calls).filter((call) => call.running)
  if (running.length > 0) {
    return oneLine(running.map((call) => callTitle(call.toolName, call.input)).join(', '), DOING)
  }
  const last = pending.message?.parts.at(-1)
  if (last?.type === 'tool-call') return `preparing ${last.toolName}`
  return last?.type === 'text' ? 'answering' : 'thinking'
}

/** `1,204 tokens`, `$0.0100`, `context 4% of 128,000`: what is known of them. */
export function usageWords({ total, context }: SessionState['usage']): string[] {
  const words: string[] = []
  if (total.totalTokens !== undefined) {
    words.push(`${total.estimated ? '~' : ''}${total.totalTokens.toLocaleString('en')} tokens`)
  }
  if (total.cost) {
    const { amount, currency } = total.cost
    words.push(amount.toLocaleString('en', { style: 'currency', currency, maximumFractionDigits: 4 }))
  }
  if (context?.window !== undefined) {
    const share = Math.round((100 * context.used) / context.window)
    words.push(`context ${share}% of ${context.window.toLocaleString('en')}`)
  } else if (context !== undefined) {
    words.push(`context ${context.used.toLocaleString('en')}`)
  }
  return words
}
