import type { Money, SessionState } from '@stepwell/sdk'
import { callTitle, duration } from './calls.ts'
import { oneLine } from './terminal/printable.ts'

const SPINNER = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']
const FRAME_MS = 100
/** Characters, so that there is room for the rest. */
const DOING = 40

/** What is going on, in at most `columns` characters. `elapsedMs` moves the spinner too. */
export function statusLine(state: SessionState, now: number, elapsedMs: number, columns: number): string {
  const frame = SPINNER[Math.floor(elapsedMs / FRAME_MS) % SPINNER.length]
  const words = [
    `${frame} ${doing(state, now)}`,
    duration(elapsedMs),
    state.status === 'waiting' ? 'Ctrl-C stops' : 'Esc stops',
    ...usageWords(state.usage),
  ]
  return oneLine(words.join(' · '), columns)
}

function doing({ status, live, pending }: SessionState, now: number): string {
  if (status === 'stopping') return 'stopping'
  if (status === 'waiting')
    return pending.requests.length > 1 ? `${pending.requests.length} wait for you` : 'waits for you'
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

/** `$0.42 left`, `1,204 tokens`, `$0.0100`, `context 4% of 128,000`: what is known of them. */
export function usageWords({ total, context, budgetRemaining: left = {} }: SessionState['usage']): string[] {
  const words: string[] = []
  if (left.cost) words.push(`${moneyText(left.cost)} left`)
  if (left.tokens !== undefined) words.push(`${left.tokens.toLocaleString('en')} tokens left`)
  if (total.totalTokens !== undefined) {
    words.push(`${total.estimated ? '~' : ''}${total.totalTokens.toLocaleString('en')} tokens`)
  }
  if (total.cost) words.push(moneyText(total.cost))
  if (context?.window !== undefined) {
    const share = Math.round((100 * context.used) / context.window)
    words.push(`context ${share}% of ${context.window.toLocaleString('en')}`)
  } else if (context !== undefined) {
    words.push(`context ${context.used.toLocaleString('en')}`)
  }
  return words
}

function moneyText({ amount, currency }: Money): string {
  return amount.toLocaleString('en', { style: 'currency', currency, maximumFractionDigits: 4 })
}
