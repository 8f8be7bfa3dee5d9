import { askUser, createAgent, defineTool, memoryStore, type SessionStore } from '@stepwell/sdk'
import { type ScriptedStep, scriptedModel } from '@stepwell/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { converse } from './conversation.ts'
import { createRenderer } from './render.ts'
import { createScreen } from './terminal/screen.ts'
import { plain } from './terminal/style.ts'
import { fakeTerminal } from './testing/fake-terminal.ts'
import { keys } from './testing/keys.ts'

const pay = defineTool<{ amount: number }>({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  needsApproval: true,
  describeEffect: ({ amount }) => ({ title: `Pay ${amount}` }),
  execute: ({ amount }) => `paid ${amount}`,
})
const callPay = { calls: [{ name: 'pay', input: { amount: 5 } }] }

/** A model's reply that begins and then waits. */
function held(text: string): ScriptedStep {
  const beforeEnd = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  return { text, beforeEnd }
}

interface Start {
  readonly store?: SessionStore
  readonly sessionId?: string
}

async function start(steps: readonly ScriptedStep[], { store = memoryStore({ now: () => 0 }), sessionId }: Start = {}) {
  const model = scriptedModel(steps)
  const agent = createAgent({ model, tools: [pay, askUser()], store })
  const terminal = fakeTerminal(90)
  const screen = createScreen(terminal)
  const write = (text: string) => screen.write(text)
  const renderer = createRenderer({ reply: write, aside: write }, plain)
  const time = { now: 0 }
  const quit = vi.fn()
  const session = sessionId === undefined ? undefined : await agent.session(sessionId)
  const conversation = converse({ agent, screen, renderer, style: plain, now: () => time.now, quit }, session)
  onTestFinished(() => agent.close({ drainMs: 0 }))
  return {
    model,
    conversation,
    quit,
    type(typed: string) {
      time.now += 1_000
      for (const key of keys(typed)) conversation.press(key)
    },
    shows: (text: string) => vi.waitFor(() => expect(terminal.text()).toContain(text)),
    text: () => terminal.text(),
  }
}

test('what is typed is sent, answered, and accounted for', async () => {
  const { type, shows, text } = await start(['Hello.'])
  type('hi<return>')
  await shows('› hi\n\nHello.\n\n')
  await shows('tokens')
  expect(text()).toMatch(/\n›$/)
})

test('an approval is asked, and y lets the call run', async () => {
  const { type, shows, text } = await start([callPay, 'Done.'])
  type('pay<return>')
  await shows('? Pay 5\n\n⠋ waits for you')
  await shows('Allow it?  y once · n no')
  type('y')
  await shows('● pay  paid 5')
  await shows('Done.')
  expect(text()).not.toContain('Allow it?')
})

test('a denial takes a note, which the model is told', async () => {
  const { type, shows, model } = await start([callPay, 'All right.'])
  type('pay<return>')
  await shows('Allow it?')
  type('n')
  type('too much<return>')
  await shows('All right.')
  expect(JSON.stringify(model.requests[1])).toContain('They say: too much')
})

test('keys that were meant for something else answer nothing', async () => {
  const { type, shows, conversation, text } = await start([callPay, 'Done.'])
  type('pay<return>')
  await shows('Allow it?')
  for (const key of keys('y')) conversation.press(key)
  expect(text()).toContain('Allow it?')
})

test('a line that is being typed comes before the answer', async () => {
  let go = (): void => {}
  const before = () =>
    new Promise<void>((resolve) => {
      go = resolve
    })
  const { type, shows, text } = await start([{ ...callPay, before }, 'Done.'])
  type('pay<return>')
  await shows('thinking')
  type('yes, and')
  go()
  await shows('An answer is wanted')
  expect(text()).toContain('› yes, and')
  type('<C-u>')
  await shows('Allow it?')
})

test('a question is answered, or left open for another day', async () => {
  const store = memoryStore({ now: () => 0 })
  const question = { id: 'q', header: 'Size', question: 'Which size?', options: [{ label: 'big' }, { label: 'small' }] }
  const ask = { calls: [{ name: 'ask_user', input: { questions: [question] } }] }
  const first = await start([ask], { store })
  first.type('go<return>')
  await first.shows('Size · question 1 of 1')
  first.type('<C-d>')
  const session = await first.conversation.left
  expect(session?.state.status).toBe('waiting')

  const again = await start(['Small it is.'], { store, sessionId: session?.id ?? '' })
  await again.shows('Size · question 1 of 1')
  again.type('2')
  await again.shows('● ask_user  q: small')
  await again.shows('Small it is.')
})

test('while it works Enter steers and Alt+Enter queues; Esc stops and hands back what was not taken', async () => {
  const { type, shows, text } = await start([held('Once')])
  type('tell<return>')
  await shows('Once')
  type('shorter<return>')
  await shows('  next: shorter')
  type('and again<M-return>')
  type('later<enter>')
  await shows('  afterwards: and again\n  afterwards: later')
  type('unsent<escape>')
  await shows('Stopped. The session is kept')
  await shows('› shorter␤and again␤later␤unsent')
  expect(text()).not.toContain('afterwards')
})

test('what was queued is shown when its turn comes', async () => {
  let end = (): void => {}
  const beforeEnd = () =>
    new Promise<void>((resolve) => {
      end = resolve
    })
  const { type, shows } = await start([{ text: 'One.', beforeEnd }, 'Two.'])
  type('first<return>')
  await shows('One.')
  type('second<M-return>')
  await shows('afterwards: second')
  end()
  await shows('› second\n\nTwo.')
})

test('Ctrl-C clears the line, then leaves; while it works it stops, and a second one quits', async () => {
  const { type, shows, quit, text, conversation } = await start([held('Once')])
  type('abc<C-c>')
  expect(text()).toMatch(/›$/)
  type('tell<return>')
  await shows('Once')
  type('<C-c><C-c>')
  await shows('Stopped.')
  expect(quit).toHaveBeenCalledTimes(1)
  type('<C-c>')
  expect((await conversation.left)?.state.status).toBe('idle')
})

test('an input that a failed run left behind is kept back until Enter sends it', async () => {
  let fail = (): void => {}
  const beforeEnd = () =>
    new Promise<void>((resolve) => {
      fail = resolve
    })
  const { type, shows } = await start([{ text: 'One', beforeEnd, error: new Error('No more.') }, 'Two.'])
  type('first<return>')
  await shows('One')
  type('second<M-return>')
  await shows('afterwards: second')
  fail()
  await shows('kept back, Enter sends it: second')
  type('<return>')
  await shows('› second\n\nTwo.')
})
