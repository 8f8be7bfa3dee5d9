import { type AgentEvent, defineTool, initialState, messageText, reduce } from '@stepwell/sdk'
import type { ViewedSession } from '@stepwell/sdk/view'
import { fireEvent, getByRole, queryByRole } from '@testing-library/dom'
import fc from 'fast-check'
import { act } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { agentWorld, collect } from '../../sdk/src/testing/agent-world.ts'
import { fakeSession } from '../../sdk/src/testing/fake-session.ts'
import { EventLog } from '../src/devtools/event-log.ts'
import { SessionDevtools } from '../src/devtools/index.ts'
import { STYLES } from '../src/devtools/styles.ts'
import { AgentProvider } from '../src/index.ts'
import { type Rendered, render, renderStrict, unmountAll, until } from './render.tsx'

afterEach(unmountAll)

const weather = defineTool({
  name: 'weather',
  description: 'The weather of a city',
  input: z.object({ city: z.string() }),
  execute: () => 'Rain.',
})

/** A session that has asked for the weather, and what its model was sent. */
async function talked() {
  const { agent, model } = agentWorld(
    [
      { reasoning: 'Hm.', text: 'Let me see.', calls: [{ name: 'weather', input: { city: 'Oslo' } }] },
      'It rains.',
      'Yes.',
    ],
    { tools: [weather], instructions: 'Speak of the weather alone.' },
  )
  const session = await agent.session('s')
  await session.run('How is it in Oslo?').result
  return { agent, session, model }
}

async function opened(shown: Rendered): Promise<HTMLElement> {
  const { container } = shown
  press(container, 'Session log')
  await until(() => rowsOf(container).some((row) => typeOf(row) === 'finish'))
  return getByRole(container, 'region', { name: 'Log of session s' })
}

/** Faster than by role: there are many. */
function rowsOf(container: HTMLElement): HTMLElement[] {
  return [...container.querySelectorAll<HTMLElement>('[role="option"]')]
}

function typeOf(row: HTMLElement): string | null | undefined {
  return row.querySelector('.swd-type')?.textContent
}

function selectedIn(container: HTMLElement): string | undefined {
  return container.querySelector('[aria-selected="true"]')?.textContent ?? undefined
}

function press(container: HTMLElement, name: string): void {
  const button = [...container.querySelectorAll('button')].find(({ textContent }) => textContent === name)
  if (button === undefined) throw new Error(`There is no button ${name}.`)
  act(() => button.click())
}

/** Goes to the last event of a type. */
function goTo(dock: HTMLElement, type: string): void {
  act(() =>
    rowsOf(dock)
      .findLast((row) => typeOf(row) === type)
      ?.click(),
  )
}

it('reads nothing until it is opened, then all there was, and what comes', async () => {
  const { agent, session } = await talked()
  const events = vi.spyOn(session, 'events')
  const shown = renderStrict(<SessionDevtools session={session} />)
  expect(events).not.toHaveBeenCalled()

  const dock = await opened(shown)
  const before = rowsOf(dock).length
  expect(dock.textContent).toContain('How is it in Oslo?')
  await act(async () => void (await (await agent.session('s')).run('And now?').result))
  await until(() => dock.textContent?.includes('And now?') === true)
  expect(rowsOf(dock).length).toBeGreaterThan(before)
})

it('is the provider’s session without one of its own, and nothing where there is none', async () => {
  const { agent } = await talked()
  const shown = render(
    <AgentProvider agent={agent} sessionId="s">
      <SessionDevtools />
    </AgentProvider>,
  )
  await opened(shown)
  expect(render(<SessionDevtools />).container.innerHTML).toBe('')
})

it('says why the log cannot be read', async () => {
  const session = fakeSession(initialState('s'))
  session.events = async function* () {
    yield* []
    throw new Error('The disk is gone.')
  }
  const { container } = render(<SessionDevtools session={session} />)
  press(container, 'Session log')
  await until(() => queryByRole(container, 'alert') !== null)
  expect(getByRole(container, 'alert').textContent).toContain('The disk is gone.')
})

it('the state at any event is the fold of the log up to it, wherever one comes from', async () => {
  const words = Array.from({ length: 700 }, (_, i) => `word${i}`).join(' ')
  const { session } = agentWorld([words, 'Yes.'])
  const live = await session()
  const leave = new AbortController()
  const reading = collect(live.events({ signal: leave.signal }))
  await live.run('Write much.').result
  await live.run('Is that all?').result
  await new Promise((resolve) => setImmediate(resolve))
  leave.abort()
  const events = await reading
  expect(events.length).toBeGreaterThan(700)

  const log = await readLog(events)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: events.length }), (count) => {
      expect(log.stateAfter(count)).toEqual(reduce(initialState('s'), events.slice(0, count)))
    }),
    { numRuns: 60, seed: 5 },
  )
})

/** A log that has read these. */
async function readLog(events: readonly AgentEvent[]): Promise<EventLog> {
  const session: ViewedSession = {
    ...fakeSession(initialState('s')),
    async *events() {
      yield* events
    },
  }
  const log = new EventLog(session)
  await new Promise<void>((resolve) => {
    const unsubscribe = log.subscribe(() => {
      if (log.getSnapshot().events.length < events.length) return
      unsubscribe()
      resolve()
    })
  })
  return log
}

it('goes back in time by a click, by keys and by the slider, and is live again', async () => {
  const { session } = await talked()
  const dock = await opened(render(<SessionDevtools session={session} />))
  press(dock, 'State')
  expect(dock.textContent).toContain('history: [3]')

  goTo(dock, 'run-start')
  expect(dock.textContent).toContain('history: []')
  expect(dock.textContent).toContain('This event changed run')

  const list = getByRole(dock, 'listbox', { name: 'Events' })
  act(() => void fireEvent.keyDown(list, { key: 'ArrowDown' }))
  expect(dock.textContent).toContain('history: [1]')
  act(() => void fireEvent.keyDown(list, { key: 'Home' }))
  expect(selectedIn(dock)).toContain('session-created')
  act(() => void fireEvent.change(getByRole(dock, 'slider'), { target: { value: '2' } }))
  expect(selectedIn(dock)).toContain('run-start')

  press(dock, 'Live')
  expect(dock.textContent).toContain('history: [3]')
})

it('shows for each call what the model was sent', async () => {
  const { session, model } = await talked()
  const dock = await opened(render(<SessionDevtools session={session} />))
  press(dock, 'Model')
  expect(dock.textContent).toContain('Call 2 of 2')
  const texts = Array.from(dock.querySelectorAll('.swd-message p'), ({ textContent }) => textContent)
  const sent = model.requests[1]?.messages.map(messageText) ?? []
  expect(texts).toEqual([model.requests[1]?.instructions, ...sent])
  expect(dock.textContent).toContain('weather')

  press(dock, 'Call before')
  expect(dock.textContent).toContain('Call 1 of 2')
  expect(dock.textContent).not.toContain('Rain.')
})

it('shows what each call used, up to the place one is at', async () => {
  const { session } = await talked()
  const dock = await opened(render(<SessionDevtools session={session} />))
  press(dock, 'Usage')
  const rows = () => [...getByRole(dock, 'table').querySelectorAll('tbody tr')]
  expect(rows().map((row) => row.lastElementChild?.textContent)).toEqual(['tool-calls', 'stop'])
  expect(getByRole(dock, 'table').textContent).toContain('2 calls')

  goTo(dock, 'tool-result')
  expect(rows()).toHaveLength(1)
})

it('finds events by their kind and by what they say', async () => {
  const { session } = await talked()
  const dock = await opened(render(<SessionDevtools session={session} />))
  const shownTypes = () => rowsOf(dock).map(typeOf)

  for (const kind of ['runs', 'messages', 'deltas', 'people', 'usage', 'other']) press(dock, kind)
  expect(shownTypes().every((type) => type?.startsWith('tool-'))).toBe(true)
  for (const kind of ['runs', 'messages', 'deltas', 'people', 'usage', 'other']) press(dock, kind)
  act(() => void fireEvent.change(getByRole(dock, 'searchbox'), { target: { value: 'it rains' } }))
  expect(shownTypes()).toContain('message')
  expect(shownTypes()).not.toContain('session-created')
})

it('closes by Escape, and the focus is where it was', async () => {
  const { session } = await talked()
  const shown = render(<SessionDevtools session={session} />)
  const dock = await opened(shown)
  expect(document.activeElement?.textContent).toBe('Close')
  act(() => void fireEvent.keyDown(dock, { key: 'Escape' }))
  expect(document.activeElement?.textContent).toBe('Session log')
})

it('has styles that are the same text on a server: nothing in them is escaped', () => {
  expect(STYLES).not.toMatch(/["'<>&]/)
})
