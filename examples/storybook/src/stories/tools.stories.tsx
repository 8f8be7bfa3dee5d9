import { expect } from 'storybook/test'
import { LogWriter } from '../log/log-writer.ts'
import { DIFF, THOUGHTS, TOTAL_FIX } from '../log/texts.ts'
import { type ChatStory, chatMeta, PATIENCE } from './chat.tsx'

export default { ...chatMeta, title: 'Tools' }

const CONTEXT = { used: 31_900, window: 200_000 }
const CHECKS = [
  '✓ an empty cart costs nothing',
  '✓ one item costs its price',
  '✓ three of one item cost three times its price',
  '✓ a voucher is taken off once',
  '✓ a voucher is never more than the cart',
  '✓ shipping is free from 50 on',
  '✓ taxes are in the price',
]

function begun(): LogWriter {
  const log = new LogWriter('The failing test')
  log.says('Fix the failing test of the cart.')
  log.turn({ context: CONTEXT })
  log.thinks(THOUGHTS)
  log.writes('Let me look at how the total is made.')
  const input = { path: 'src/cart.ts' }
  const read = log.calls('read_file', input)
  log.ends()
  log.starts(read, 'read_file', input, 'read')
  log.returns(read, 'read_file', { output: 'export function total(lines) {\n  let sum = 0\n  …', durationMs: 38 })
  return log
}

function checking(log: LogWriter, lines: number): string {
  const input = { command: 'npm test -- cart' }
  log.turn({ context: CONTEXT })
  log.writes('Now the checks.')
  const call = log.calls('run_command', input)
  log.ends()
  log.starts(call, 'run_command', input)
  CHECKS.slice(0, lines).forEach((line, i) => {
    log.prints(call, `${line}\n`, { done: i + 1, total: CHECKS.length, unit: 'checks' })
  })
  return call
}

export const RunningWithOutput: ChatStory = {
  args: {
    record() {
      const log = begun()
      checking(log, 4)
      return { steps: log.take() }
    },
  },
  async play({ canvas }) {
    await canvas.findByText('4 of 7 checks')
    await expect(canvas.getByRole('progressbar', { name: 'Progress' })).toHaveAttribute('value', '4')
    await expect(canvas.getByText('✓ a voucher is taken off once', { exact: false })).toBeVisible()
  },
}

/** From the question to the fix, at its own speed. */
export const WholeRun: ChatStory = {
  args: {
    autoplay: true,
    record() {
      const log = begun()
      log.turn({ context: CONTEXT })
      const input = { path: 'src/cart.ts' }
      const edit = log.calls('edit_file', input)
      log.ends()
      log.starts(edit, 'edit_file', input)
      log.returns(edit, 'edit_file', {
        changes: [{ path: 'src/cart.ts', kind: 'modified', diff: DIFF, added: 1, removed: 1 }],
        durationMs: 57,
      })
      const call = checking(log, CHECKS.length)
      log.returns(call, 'run_command', { output: CHECKS.join('\n'), durationMs: 1_840 })
      log.turn({ context: CONTEXT })
      log.writes(TOTAL_FIX)
      log.ends()
      log.finishes()
      return { steps: log.take() }
    },
  },
  async play({ canvas, userEvent }) {
    await userEvent.click(await canvas.findByRole('button', { name: '4×' }))
    await canvas.findByText('an empty cart still costs', { exact: false }, PATIENCE)
    await expect(canvas.getByRole('region', { name: 'Edit src/cart.ts' })).toHaveTextContent('+1 −1')
    await userEvent.click(canvas.getByRole('button', { name: /^Read/ }))
    await expect(canvas.getByText('export function total(lines) {', { exact: false })).toBeVisible()
  },
}

export const HugeOutput: ChatStory = {
  args: {
    record() {
      const log = begun()
      log.turn({ context: CONTEXT })
      const input = { command: 'npm run build -- --verbose' }
      const call = log.calls('run_command', input)
      log.ends()
      log.starts(call, 'run_command', input)
      const lines = Array.from({ length: 20_000 }, (_, i) => `[${i}] compiled src/pages/product-${i}.tsx`)
      log.returns(call, 'run_command', { output: lines.join('\n'), truncatedTo: 16_000, durationMs: 48_200 })
      return { steps: log.take() }
    },
  },
  async play({ canvas, canvasElement, userEvent }) {
    await userEvent.click(await canvas.findByRole('button', { name: /^Run npm run build/ }))
    await canvas.findByText('19,800 lines in between are not shown.')
    await expect(canvasElement.textContent.length).toBeLessThan(20_000)
  },
}

/** Every way in which a call can end. */
export const Outcomes: ChatStory = {
  args: {
    record() {
      const log = new LogWriter('Tidying up')
      log.says('Tidy up what is not used any more.')
      log.turn({ context: CONTEXT })
      log.writes('I begin with what nothing imports.')
      const outcomes = ['ok', 'error', 'denied', 'aborted', 'timeout', 'unknown', 'skipped'] as const
      const calls = outcomes.map((outcome) => {
        const query = `imports of ${outcome}`
        return { callId: log.calls('search', { query }), outcome }
      })
      log.ends()
      for (const { callId, outcome } of calls) {
        log.returns(callId, 'search', { outcome, output: outcome === 'ok' ? 'Nothing imports it.' : 'It did not run.' })
      }
      return { steps: log.take() }
    },
  },
  async play({ canvas }) {
    await canvas.findByText('Outcome unknown')
    await expect(canvas.getAllByRole('region')).toHaveLength(7)
  },
}
