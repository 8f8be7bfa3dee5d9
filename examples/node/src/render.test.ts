import type { AgentEvent, EventDraft, Message, ToolCallPart, ToolResult } from '@stepwell/sdk'
import { expect, test } from 'vitest'
import { NEXT_STEPS } from './endings.ts'
import { createRenderer } from './render.ts'
import { plain } from './terminal/style.ts'

const runId = 'r'
let seq = 0
const event = (draft: EventDraft): AgentEvent => ({ ...draft, seq: ++seq, at: 0 }) as AgentEvent

const text = (part: number, from: number, said: string) => event({ type: 'text-delta', runId, part, from, text: said })
const thought = (part: number, from: number, said: string) =>
  event({ type: 'reasoning-delta', runId, part, from, text: said })
const call: ToolCallPart = {
  type: 'tool-call',
  callId: 'c',
  toolName: 'run_command',
  input: { command: 'ls' },
  state: 'ready',
}
const calling: Message = { role: 'assistant', id: 'm', at: 0, parts: [call] }
const ran: ToolResult = { callId: 'c', toolName: 'run_command', outcome: 'ok', output: 'exit code 0\n', durationMs: 9 }
const output = (said: string) => event({ type: 'tool-output', runId, callId: 'c', text: said })
const result = (more: Partial<ToolResult> = {}) => event({ type: 'tool-result', runId, result: { ...ran, ...more } })

function shownOf(events: readonly AgentEvent[]) {
  const shown = { all: '', reply: '' }
  const renderer = createRenderer(
    {
      reply(said) {
        shown.all += said
        shown.reply += said
      },
      aside(said) {
        shown.all += said
      },
    },
    plain,
  )
  for (const each of events) renderer.take(each)
  return shown
}

test('text streams once, whatever comes twice, and thoughts stay out of the reply', () => {
  const message: Message = {
    role: 'assistant',
    id: 'm',
    at: 0,
    parts: [
      { type: 'reasoning', text: 'Hm, hm.' },
      { type: 'text', text: 'Hello there.\n' },
    ],
  }
  const { all, reply } = shownOf([
    thought(0, 0, 'Hm,'),
    thought(0, 3, ' hm.'),
    text(1, 0, 'Hello'),
    text(1, 0, 'Hello the'),
    event({ type: 'message', runId, message }),
  ])
  expect(reply).toBe('Hello there.\n\n')
  expect(all).toBe('Hm, hm.\n\nHello there.\n\n')
})

test('an attempt that is thrown away is said so and begins again', () => {
  const again = event({
    type: 'turn-start',
    runId,
    turn: 1,
    attempt: 2,
    messageId: 'm',
    purpose: 'reply',
    model: { provider: 'p', model: 'm', api: 'a' },
  })
  expect(shownOf([text(0, 0, 'Hel'), again, text(0, 0, 'Hello')]).all).toBe('Hel\n\nTrying again, attempt 2.\n\nHello')
})

test('a call without output is one line', () => {
  expect(shownOf([event({ type: 'message', runId, message: calling }), result()]).all).toBe(
    '● run_command ls  exit code 0\n\n',
  )
})

test('live output stands below its call, however it is cut into pieces', () => {
  const events = [event({ type: 'message', runId, message: calling }), output('a\nb'), output('b\n'), output('\nc')]
  expect(shownOf([...events, result()]).all).toBe('● run_command ls\n  │ a\n  │ bb\n\n  │ c\n  └ exit code 0\n\n')
})

test('changes, refusals and failures say what they are', () => {
  const changed = result({ changes: [{ path: 'a', kind: 'modified', added: 2, removed: 1 }] })
  expect(shownOf([changed]).all).toContain('+2 −1')
  const denied = result({ outcome: 'denied', code: 'tool.denied', output: 'Denied. They say: too much' })
  expect(shownOf([denied]).all).toBe('● tool  Denied. They say: too much\n\n')
  const answers = { length: ['short'], topics: ['a', 'mice'] }
  expect(shownOf([result({ toolName: 'ask_user', output: { answers } })]).all).toContain(
    'length: short · topics: a, mice',
  )
  expect(shownOf([result({ outcome: 'timeout', output: 'Too slow.\nSorry.' })]).all).toContain(
    'timeout: Too slow. … · 9 ms',
  )
})

test('what a model or a tool says cannot steer the terminal', () => {
  const { all } = shownOf([text(0, 0, '\x1b[2J'), output('\x1b]0;x\x07')])
  expect(all).not.toContain('\x1b')
})

test('an end that is no good end says what to do', () => {
  const usage = { run: { requests: 1 }, total: { requests: 1 } }
  const error = { code: 'provider.auth', message: 'The key is wrong.', retryable: false }
  expect(shownOf([text(0, 0, 'Hi'), event({ type: 'finish', runId, reason: 'stop', usage })]).all).toBe('Hi\n\n')
  expect(shownOf([event({ type: 'finish', runId, reason: 'error', usage, error })]).all).toBe(
    `${NEXT_STEPS.error}\nThe key is wrong. (provider.auth)\n\n`,
  )
})

test('history looks as it did live, with what the person said', () => {
  let all = ''
  const write = (said: string) => {
    all += said
  }
  const history: Message[] = [
    { role: 'user', id: 'u', at: 0, parts: [{ type: 'text', text: 'List it.' }] },
    {
      ...calling,
      parts: [
        { type: 'text', text: 'I look.' },
        { ...call, state: 'done', result: ran },
      ],
    },
    { role: 'assistant', id: 'n', at: 0, parts: [{ type: 'text', text: 'There i' }], partial: true },
  ]
  createRenderer({ reply: write, aside: write }, plain).history(history)
  expect(all).toBe('› List it.\n\nI look.\n\n● run_command ls  exit code 0\n\nThere i\n\n(cut off)\n\n')
})
