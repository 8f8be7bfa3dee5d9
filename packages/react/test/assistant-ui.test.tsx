import { askUser, defineTool } from '@stepwell/sdk'
import { hold, providerFailure, type ScriptedStep } from '@stepwell/sdk/testing'
import { fireEvent } from '@testing-library/dom'
import { act } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { agentWorld } from '../../sdk/src/testing/agent-world.ts'
import type { StepwellRuntimeOptions } from '../src/assistant-ui/index.ts'
import { AssistantPage } from './assistant-ui-thread.tsx'
import { type Rendered, renderStrict, settled, unmountAll, until } from './render.tsx'

// assistant-ui scrolls and draws frames, which jsdom does not.
Element.prototype.scrollTo = () => {}
vi.stubGlobal('requestAnimationFrame', (draw: FrameRequestCallback) => setTimeout(() => draw(performance.now()), 0))
vi.stubGlobal('cancelAnimationFrame', clearTimeout)

afterEach(unmountAll)

const input = { type: 'object' } as const
const tools = [
  defineTool({ name: 'weather', description: '', effect: 'read', input, execute: () => ({ celsius: 4 }) }),
  defineTool({ name: 'pay', description: '', input, needsApproval: true, execute: () => 'paid' }),
  defineTool({ name: 'where', description: '', effect: 'read', input }),
  askUser(),
]

function world(steps: readonly ScriptedStep[]) {
  return agentWorld(steps, { tools })
}

/** Each message: whose, how it is, and what it says. */
function shown({ container }: Rendered): string[] {
  return [...container.querySelectorAll<HTMLElement>('[data-testid="message"]')].map((message) => {
    const said = [...message.querySelectorAll('p, [data-testid="call"], img, [role="alert"]')]
    const words = said.map((one) => (one instanceof HTMLImageElement ? `<${one.alt}>` : one.textContent))
    const { role, status } = message.dataset
    return [`${role}:`, ...words, ...(status && status !== 'complete' ? [`(${status})`] : [])].join(' ')
  })
}

/** What is loaded late takes a while when it is needed first. */
const PATIENCE_MS = 10_000

/** Soon, and then exactly this. */
async function becomes<T>(read: () => T, expected: T): Promise<void> {
  const isThere = () => JSON.stringify(read()) === JSON.stringify(expected)
  const latest = performance.now() + PATIENCE_MS
  while (!isThere() && performance.now() < latest) await act(() => new Promise((resolve) => setTimeout(resolve, 0)))
  expect(read()).toEqual(expected)
}

function sees(page: Rendered, ...messages: string[]): Promise<void> {
  return becomes(() => shown(page), messages)
}

function waiting({ container }: Rendered): (string | null | undefined)[] {
  return [...container.querySelectorAll('[data-testid="queue-item"] span')].map(({ textContent }) => textContent)
}

function button({ container }: Rendered, name: string | RegExp): HTMLButtonElement {
  const all = [...container.querySelectorAll('button')]
  const found = all.findLast(({ textContent }) =>
    typeof name === 'string' ? textContent === name : name.test(textContent ?? ''),
  )
  if (found === undefined) throw new Error(`There is no button ${name}.`)
  return found
}

async function press(page: Rendered, name: string | RegExp): Promise<void> {
  await act(async () => button(page, name).click())
  await settled()
}

async function write(page: Rendered, text: string, label = 'Message'): Promise<void> {
  const field = page.container.querySelector(`textarea[aria-label="${label}"]`)
  if (field === null) throw new Error(`There is no field ${label}.`)
  await act(async () => void fireEvent.change(field, { target: { value: text } }))
}

async function say(page: Rendered, text: string): Promise<void> {
  await write(page, text)
  await press(page, 'Send')
}

async function open(options: StepwellRuntimeOptions): Promise<Rendered> {
  const page = renderStrict(<AssistantPage {...options} />)
  await settled()
  return page
}

it('sends, streams, and shows one reply for all that a run says', async () => {
  const gate = hold()
  const steps: ScriptedStep[] = [
    { reasoning: 'Hm.', text: 'Let me look.', calls: [{ name: 'weather' }] },
    { text: 'It is cold.', beforeEnd: () => gate.opened },
  ]
  const page = await open({ agent: world(steps).agent, sessionId: 's' })
  await say(page, 'Weather?')
  const said = 'assistant: Hm. Let me look. [weather ok: {"celsius":4}] It is cold.'
  await sees(page, 'user: Weather?', `${said} (running)`)
  gate.open()
  await settled()
  await sees(page, 'user: Weather?', said)
})

it.each([
  ['Allow once', '[pay ok: paid]'],
  ['Deny', '[pay error: Denied by the person, and not run. They say: Because.]'],
])('asks before a call: %s', async (decision, call) => {
  const page = await open({
    agent: world([{ text: 'May I?', calls: [{ name: 'pay' }] }, 'Done.']).agent,
    sessionId: 's',
  })
  await say(page, 'Pay')
  await sees(page, 'user: Pay', 'assistant: May I? [pay open]Allow onceDeny (requires-action)')
  await press(page, decision)
  await sees(page, 'user: Pay', `assistant: May I? ${call} Done.`)
})

it('answers questions, and calls of tools that run in the page', async () => {
  const options = [{ label: 'Window' }, { label: 'Aisle' }]
  const questions = [{ id: 'seat', header: 'Seat', question: 'Which seat?', options }]
  const { agent } = world([
    { calls: [{ name: 'ask_user', input: { questions } }] },
    { calls: [{ name: 'where' }] },
    'There.',
  ])
  const page = await open({ agent, sessionId: 's' })
  await say(page, 'Go')
  await sees(page, 'user: Go', 'assistant: [ask_user open]Which seat?WindowAisle (requires-action)')
  await press(page, 'Aisle')
  await until(() => page.text.includes('Tell where'))
  await press(page, 'Tell where')
  await until(() => page.text.includes('There.'))
  const { history } = (await agent.session('s')).state
  const outputs = history.flatMap((message) =>
    message.role === 'assistant'
      ? message.parts.flatMap((part) => (part.type === 'tool-call' ? [part.result?.output] : []))
      : [],
  )
  expect(outputs).toEqual([{ answers: { seat: ['Aisle'] } }, { lat: 59.9 }])
})

it('steers and queues, changes what waits, and hands back on a stop what no run took', async () => {
  const gate = hold()
  const { agent } = world([{ text: 'One', beforeEnd: (signal) => Promise.race([gate.opened, aborted(signal)]) }])
  const page = await open({ agent, sessionId: 's' })
  await say(page, 'Count')
  await say(page, 'Faster')
  await write(page, 'And louder')
  await press(page, 'Queue')
  await becomes(() => waiting(page), ['Faster', 'And louder'])
  const session = await agent.session('s')
  const lanes = () => {
    const { steer, queue } = session.state.pending.lanes
    return { steer: steer.map(({ id }) => id), queue: queue.map(({ id }) => id) }
  }
  await until(() => lanes().steer.length === 1 && lanes().queue.length === 1)
  const [faster, louder] = [...lanes().steer, ...lanes().queue]
  await press(page, `Remove ${faster}`)
  await press(page, `Steer ${louder}`)
  await becomes(lanes, { steer: [`${louder}`], queue: [] })
  await becomes(() => waiting(page), ['And louder'])
  await press(page, 'Stop')
  await sees(page, 'user: Count', 'assistant: One (incomplete)')
  await becomes(() => page.container.querySelector('textarea')?.value, 'And louder')
})

it('generates anew, and edits and resends', async () => {
  const page = await open({ agent: world(['Blue.', 'Green.', 'Grey.']).agent, sessionId: 's' })
  await say(page, 'A colour?')
  await press(page, 'Reload')
  await sees(page, 'user: A colour?', 'assistant: Green.')
  await press(page, 'Edit')
  await write(page, 'A sad one?', 'Edit message')
  await press(page, 'Save')
  await sees(page, 'user: A sad one?', 'assistant: Grey.')
})

it('says why a run failed that said nothing', async () => {
  const error = providerFailure('provider.auth')
  const page = await open({ agent: world([{ error }]).agent, sessionId: 's' })
  await say(page, 'Hi')
  await sees(page, 'user: Hi', 'assistant: scripted failure: provider.auth (incomplete)')
})

it('has a list of threads, which one can begin, open, archive and delete', async () => {
  const { agent } = world(['First.', 'Second.', 'Third.'])
  const created: string[] = []
  const page = await open({ agent, onCreate: (id) => created.push(id) })
  // What is written while the session is being made is not lost when it is.
  await write(page, 'One')
  act(() => button(page, 'Send').click())
  await write(page, 'Meanwhile')
  await sees(page, 'user: One', 'assistant: First.')
  expect(created).toHaveLength(1)
  expect(page.container.querySelector('textarea')?.value).toBe('Meanwhile')
  await press(page, 'New thread')
  await say(page, 'Two')
  const [one, two] = created
  await sees(page, 'user: Two', 'assistant: Second.')
  await until(() => page.text.includes(`Delete ${one}`))
  await press(page, `${one}`)
  await sees(page, 'user: One', 'assistant: First.')
  await press(page, `Archive ${two}`)
  expect((await agent.sessions({ archived: true })).items.map(({ id }) => id)).toEqual([two])
  await until(() => page.text.includes(`Unarchive ${two}`))
  await press(page, `Unarchive ${two}`)
  await until(() => !page.text.includes('Unarchive'))
  await press(page, `Delete ${one}`)
  await sees(page)
  expect((await agent.sessions()).items.map(({ id }) => id)).toEqual([two])
})

/** Rejects when it is. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
