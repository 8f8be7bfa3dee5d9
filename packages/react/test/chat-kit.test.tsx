import { initialState } from '@stepwell/sdk'
import { fireEvent } from '@testing-library/dom'
import { act } from 'react'
import { afterEach, expect, it } from 'vitest'
import { Approval } from '../../../examples/chat-kit/src/approval.tsx'
import { Composer } from '../../../examples/chat-kit/src/composer.tsx'
import { fakeSession } from '../../sdk/src/testing/fake-session.ts'
import { AgentProvider } from '../src/index.ts'
import { render, settled, unmountAll } from './render.tsx'

afterEach(unmountAll)

const file = { type: 'file' as const, mediaType: 'text/plain', text: 'x', name: 'a.txt' }
const waiting = { id: 'in-1', lane: 'queue' as const, at: 1, parts: [{ type: 'text' as const, text: 'Look' }, file] }

function shownQueue() {
  const state = initialState('s')
  const lanes = { ...state.pending.lanes, queue: [waiting] }
  const session = fakeSession({ ...state, pending: { ...state.pending, lanes } })
  const { container } = render(
    <AgentProvider session={session}>
      <Composer />
    </AgentProvider>,
  )
  const edit = () => {
    act(() => fireEvent.click(container.querySelector('.waiting-text') as HTMLElement))
    return container.querySelector('.waiting-text') as HTMLInputElement
  }
  return { session, edit }
}

it('edits what was written in an input that waits, and nothing where it is left as it was', async () => {
  const { session, edit } = shownQueue()
  expect(edit().value).toBe('Look')
  act(() => fireEvent.blur(edit()))
  expect(session.asked).toEqual([])
  const field = edit()
  act(() => fireEvent.change(field, { target: { value: 'Look again' } }))
  act(() => fireEvent.keyDown(field, { key: 'Enter' }))
  await settled()
  const parts = [{ type: 'text', text: 'Look again' }, file]
  expect(session.asked).toMatchObject([{ command: 'changeInput', args: ['in-1', { input: parts }] }])
})

it('takes the focus for a reason once, and never from what is written elsewhere', () => {
  const request = (id: string) => ({ id, kind: 'approval' as const, path: [], options: ['deny' as const] })
  const session = fakeSession()
  const { container } = render(
    <AgentProvider session={session}>
      <Approval item={{ request: request('a'), status: 'open' }} />
      <textarea />
    </AgentProvider>,
  )
  act(() => fireEvent.click(container.querySelector('button') as HTMLElement))
  expect(document.activeElement).toBe(container.querySelector('input'))
  const elsewhere = container.querySelector('textarea') as HTMLElement
  elsewhere.focus()
  act(() => session.emit({ type: 'request', request: request('b') }))
  expect(document.activeElement).toBe(elsewhere)
})

it('has the focus in the composer after a button that a key pressed, which may go', () => {
  const session = fakeSession()
  session.emit({ type: 'run-start', runId: 'r', trigger: 'input', inputIds: [], config: {} })
  const { container } = render(
    <AgentProvider session={session}>
      <Composer />
    </AgentProvider>,
  )
  const stop = container.querySelector('[aria-label=Stop]') as HTMLElement
  stop.focus()
  act(() => fireEvent.click(stop, { detail: 1 }))
  expect(document.activeElement).toBe(stop)
  act(() => fireEvent.click(stop, { detail: 0 }))
  expect(document.activeElement).toBe(container.querySelector('textarea'))
})
