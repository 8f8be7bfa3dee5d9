import { expect } from 'storybook/test'
import { LogWriter } from '../log/log-writer.ts'
import { ARABIC, LONG_CODE, OUTLINE, THOUGHTS, TOTAL_FIX } from '../log/texts.ts'
import type { ReplayCommand } from '../replay/replay-session.ts'
import type { Recording } from '../replay/scene.tsx'
import { type ChatStory, chatMeta, PATIENCE } from './chat.tsx'

export default { ...chatMeta, title: 'Conversation' }

const CONTEXT = { used: 23_400, window: 200_000 }

function empty(): Recording {
  const log = new LogWriter('New chat')
  const respond = (command: ReplayCommand) => {
    if (command.type !== 'send') return []
    log.says(command.parts, command.inputId)
    log.turn({ context: CONTEXT })
    log.writes(TOTAL_FIX)
    log.ends({ context: CONTEXT })
    log.finishes()
    return log.take()
  }
  return { steps: log.take(), respond }
}

export const Empty: ChatStory = {
  args: { record: empty },
  async play({ canvas, userEvent }) {
    await userEvent.type(canvas.getByRole('textbox', { name: 'Message' }), 'Fix the failing test')
    await expect(canvas.getByRole('button', { name: 'Send' })).toBeEnabled()
    await userEvent.clear(canvas.getByRole('textbox', { name: 'Message' }))
    await expect(canvas.getByRole('button', { name: 'Send' })).toBeDisabled()
  },
}

/** A whole exchange: the bubble keeps its place from the outbox to the log. */
export const SendAndReply: ChatStory = {
  args: { record: empty },
  async play({ canvas, userEvent }) {
    await userEvent.type(canvas.getByRole('textbox', { name: 'Message' }), 'Fix the failing test{Enter}')
    await userEvent.click(await canvas.findByRole('button', { name: '4×' }))
    await canvas.findByText('All twelve checks pass.', { exact: false }, PATIENCE)
    await expect(canvas.getAllByRole('heading', { name: 'You' })).toHaveLength(1)
  },
}

function streaming(): Recording {
  const log = new LogWriter('How the checkout works')
  log.exchange('Which of the services takes the payment?', 'That is `checkout`. It talks to the provider alone.')
  const before = log.take()
  log.says('Explain the checkout from the button to the receipt.')
  log.turn({ context: CONTEXT })
  log.writes(OUTLINE)
  return { before, steps: log.take() }
}

export const Streaming: ChatStory = {
  args: { record: streaming },
  async play({ canvas }) {
    await canvas.findByRole('heading', { name: '3. The payment is asked for' })
    await expect(canvas.getByRole('button', { name: 'Stop' })).toBeEnabled()
  },
}

/** What was stopped can be seen again, to the end that it had. */
export const StopAndReplay: ChatStory = {
  args: { record: streaming },
  async play({ canvas, userEvent }) {
    await canvas.findByRole('heading', { name: '3. The payment is asked for' })
    await userEvent.click(canvas.getByRole('button', { name: 'Stop' }))
    await canvas.findByText('Stopped')
    await userEvent.click(canvas.getByRole('button', { name: 'Play' }))
    await userEvent.click(canvas.getByRole('button', { name: '4×' }))
    await canvas.findByText(/the reservation$/, undefined, PATIENCE)
  },
}

function thinking(): Recording {
  const log = new LogWriter('The failing test')
  log.says('The test of the cart fails. Why?')
  log.turn({ context: CONTEXT })
  log.thinks(THOUGHTS)
  return { steps: log.take() }
}

export const Thinking: ChatStory = {
  args: { record: thinking },
  async play({ canvas }) {
    await expect(await canvas.findByText('Thinking')).toBeVisible()
    await expect(canvas.getByText('I look there first', { exact: false })).toBeVisible()
  },
}

/** The request has left, and nothing came back yet. */
export const Waiting: ChatStory = {
  args: {
    record() {
      const log = new LogWriter('The failing test')
      log.says('The test of the cart fails. Why?')
      log.turn()
      return { steps: log.take() }
    },
  },
  async play({ canvas }) {
    await canvas.findByText('Working…')
  },
}

export const Retrying: ChatStory = {
  args: {
    record() {
      const log = new LogWriter('The failing test')
      log.says('The test of the cart fails. Why?')
      log.turn()
      const error = { code: 'provider.overloaded', message: 'The model is overloaded.', retryable: true } as const
      log.activity({ kind: 'retrying', attempt: 2, delayMs: 60_000, until: Date.now() + 60_000, error })
      return { steps: log.take() }
    },
  },
  async play({ canvas }) {
    await canvas.findByText(/^The model is overloaded. Trying again in \d+ s/)
  },
}

export const LongCode: ChatStory = {
  args: {
    record() {
      const log = new LogWriter('A rate limiter')
      log.says('Write me a rate limiter. One file, no dependencies.')
      log.turn({ context: CONTEXT })
      log.writes(LONG_CODE)
      log.ends()
      log.finishes()
      return { steps: log.take() }
    },
  },
  async play({ canvas, canvasElement }) {
    await expect(await canvas.findByRole('button', { name: 'Copy code' })).toBeInTheDocument()
    // What is wider than the page scrolls in its own box.
    await expect(canvasElement.scrollWidth).toBeLessThanOrEqual(canvasElement.clientWidth)
  },
}

const QUESTIONS = ['And the next one?', 'Is that all?', 'Which file is that in?', 'Does a test cover it?']
const ANSWERS = [
  'Yes. It is in `src/cart.ts`.',
  'Two more, both small.',
  'A test covers it since March.',
  'That is all.',
]

export const ThousandMessages: ChatStory = {
  args: {
    record() {
      const log = new LogWriter('A long afternoon')
      const texts = Array.from({ length: 998 }, (_, i) => (i % 2 === 0 ? QUESTIONS : ANSWERS)[(i >> 1) % 4] ?? '')
      log.earlier(
        texts.map((text, i) => ({
          role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
          id: `old_${i}`,
          at: i,
          parts: [{ type: 'text' as const, text: `${text} (${i + 1})` }],
        })),
      )
      const before = log.take()
      log.says('Explain the checkout once more.')
      log.turn({ context: { used: 148_000, window: 200_000 } })
      log.writes(OUTLINE.slice(0, OUTLINE.indexOf('## 2')))
      return { before, steps: log.take() }
    },
  },
  async play({ canvas, userEvent }) {
    await expect(canvas.getAllByRole('article').length).toBeLessThan(250)
    await userEvent.click(canvas.getByRole('button', { name: 'Earlier messages' }))
    await expect(canvas.getAllByRole('article').length).toBeGreaterThan(380)
  },
}

export const RightToLeft: ChatStory = {
  globals: { direction: 'rtl' },
  args: {
    record() {
      const log = new LogWriter('كيف تعمل الجلسة')
      log.says('ما هي الجلسة؟')
      log.turn({ context: CONTEXT })
      log.thinks('سؤال قصير، وجواب قصير.')
      log.writes(ARABIC)
      const call = log.calls('read_file', { path: 'src/session.ts' })
      log.ends()
      log.returns(call, 'read_file', { output: 'export interface Session {}' })
      log.waits('واشرح السجل أيضًا', 'queue')
      return { steps: log.take() }
    },
  },
  async play({ canvas }) {
    const bubble = await canvas.findByText('ما هي الجلسة؟')
    await expect(getComputedStyle(bubble).direction).toBe('rtl')
  },
}

/** What a person attached, as it is shown in the log. */
export const Attachments: ChatStory = {
  args: {
    record() {
      const log = new LogWriter('The receipt')
      const picture = `data:image/svg+xml,${encodeURIComponent(
        '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="180"><rect width="320" height="180" fill="#dcd9f7"/><rect x="40" y="36" width="150" height="14" rx="7" fill="#4a4ad0"/><rect x="40" y="66" width="240" height="10" rx="5" fill="#a9a6e6"/><rect x="40" y="88" width="210" height="10" rx="5" fill="#a9a6e6"/><rect x="40" y="124" width="84" height="24" rx="12" fill="#4a4ad0"/></svg>',
      )}`
      log.says([
        { type: 'text', text: 'The button of this page is not where the plan has it.' },
        { type: 'image', mediaType: 'image/svg+xml', url: picture, name: 'The page' },
        { type: 'file', mediaType: 'application/pdf', name: 'plan-of-the-checkout.pdf' },
      ])
      log.turn({ context: CONTEXT })
      log.writes('In the plan it is at the end of the line, here at its beginning. I can move it.')
      log.ends()
      log.finishes()
      return { steps: log.take() }
    },
  },
  async play({ canvas, userEvent }) {
    await expect(await canvas.findByRole('img', { name: 'The page' })).toBeVisible()
    const file = new File(['{"open":9}'], 'orders.json', { type: 'application/json' })
    await userEvent.upload(canvas.getByLabelText('Attach files'), file)
    await canvas.findByRole('button', { name: 'Remove orders.json' })
  },
}
