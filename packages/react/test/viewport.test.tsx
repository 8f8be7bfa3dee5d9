import { initialState } from '@stepwell/sdk'
import { fireEvent } from '@testing-library/dom'
import { act, type ReactNode } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeRemote, fakeSession } from '../../sdk/src/testing/fake-session.ts'
import {
  AgentProvider,
  type SessionTarget,
  type ThreadViewportOptions,
  useAnnouncer,
  useHistoryPager,
  useMessageIds,
  useThreadViewport,
} from '../src/index.ts'
import { FakeResizeObserver } from './fake-resize-observer.ts'
import { render, settled, unmountAll } from './render.tsx'

afterEach(() => {
  unmountAll()
  vi.useRealTimers()
})

const HEIGHT = 100
const WINDOW = 300

const message = (id: string, role: 'user' | 'assistant' = 'assistant') => ({
  type: 'message' as const,
  message: { role, id, at: 1, parts: [] },
})
const stateOf = (...ids: string[]) => ({
  ...initialState('s'),
  seq: ids.length,
  history: ids.map((id) => ({ role: 'user' as const, id, at: 1, parts: [] })),
})

function Thread({ anchor = 'end' }: ThreadViewportOptions): ReactNode {
  const thread = useThreadViewport({ anchor })
  const { loadBefore } = useHistoryPager()
  return (
    <>
      <div {...thread.getViewportProps()}>
        <div {...thread.getContentProps()}>
          {useMessageIds().map((id) => (
            <article key={id} {...thread.getMessageProps(id)} />
          ))}
        </div>
      </div>
      <button {...thread.getScrollButtonProps()}>{thread.unread}</button>
      <button type="button" name="older" onClick={() => void loadBefore()} />
    </>
  )
}

/** A viewport 300 pixels high over messages of 100 pixels each. */
function show(target: SessionTarget, options: ThreadViewportOptions = {}) {
  const app = (shown: SessionTarget) => (
    <AgentProvider {...shown}>
      <Thread {...options} />
    </AgentProvider>
  )
  const { container, rerender } = render(app(target))
  const viewport = container.querySelector('[role=log]') as HTMLElement
  const rows = () => [...viewport.querySelectorAll('article')]
  let top = 0
  let height = WINDOW
  const limit = () => Math.max(0, viewport.scrollHeight - height)
  Object.defineProperties(viewport, {
    scrollHeight: { get: () => rows().length * HEIGHT },
    clientHeight: { get: () => height },
    scrollTop: {
      get: () => top,
      set(value: number) {
        top = Math.min(Math.max(0, value), limit())
      },
    },
    scrollTo: { value: ({ top: to }: ScrollToOptions) => (viewport.scrollTop = to ?? 0) },
  })
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const at = rows().indexOf(this as HTMLElement)
    return { top: at === -1 ? 0 : at * HEIGHT - top } as DOMRect
  })
  const resized = () => act(() => FakeResizeObserver.resized())
  resized()
  return {
    viewport,
    resized,
    /** Another session in its place. */
    change: (other: SessionTarget) => rerender(app(other)),
    button: container.querySelector('button') as HTMLButtonElement,
    older: container.querySelector('[name=older]') as HTMLButtonElement,
    /** As when what stands below it goes: the browser scrolls, and says so before it tells of the size. */
    grow: (by: number) =>
      act(() => {
        height += by
        viewport.scrollTop = top
        fireEvent.scroll(viewport)
        FakeResizeObserver.resized()
      }),
    /** As a person does it. */
    scroll: (to: number) =>
      act(() => {
        viewport.scrollTop = to
        fireEvent.scroll(viewport)
      }),
  }
}

describe('useThreadViewport', () => {
  it('follows the end as long as the person is there', () => {
    const session = fakeSession(stateOf('a', 'b', 'c', 'd'))
    const { viewport, resized, button } = show({ session })
    expect([viewport.scrollTop, button.hidden]).toEqual([100, true])
    act(() => session.emit(message('e')))
    resized()
    expect(viewport.scrollTop).toBe(200)
  })

  it('follows the end when the viewport grows, which scrolls it', () => {
    const session = fakeSession(stateOf('a', 'b', 'c', 'd', 'e'))
    const { viewport, resized, button, grow } = show({ session })
    grow(50)
    expect([viewport.scrollTop, button.hidden]).toEqual([150, true])
    act(() => session.emit(message('f')))
    resized()
    expect(viewport.scrollTop).toBe(250)
  })

  it('follows the end when the content shrinks for a moment, which scrolls it', () => {
    const session = fakeSession(stateOf('a', 'b', 'c', 'd', 'e'))
    const { viewport, resized, button, scroll } = show({ session })
    act(() => session.emit(message('f')))
    // The browser says so once it is as high again, and higher.
    scroll(0)
    resized()
    expect([viewport.scrollTop, button.hidden]).toEqual([300, true])
  })

  it('lets go of the end for who drags the scrollbar, while messages come too', () => {
    const session = fakeSession(stateOf('a', 'b', 'c', 'd', 'e'))
    const { viewport, resized, button, scroll } = show({ session })
    act(() => fireEvent.pointerDown(viewport))
    act(() => session.emit(message('f')))
    scroll(150)
    resized()
    act(() => fireEvent.pointerUp(window))
    expect([viewport.scrollTop, button.hidden]).toEqual([150, false])
  })

  it('stays where the person scrolled to, counts what came, and leads back', () => {
    const session = fakeSession(stateOf('a', 'b', 'c', 'd', 'e'))
    const { viewport, resized, button, scroll } = show({ session })
    scroll(150)
    expect([button.hidden, button.textContent]).toEqual([false, '0'])
    act(() => session.emit(message('f'), message('g')))
    resized()
    expect([viewport.scrollTop, button.textContent]).toEqual([150, '2'])
    act(() => fireEvent.click(button))
    expect([viewport.scrollTop, button.hidden]).toEqual([400, true])
    act(() => session.emit(message('h')))
    resized()
    expect(viewport.scrollTop).toBe(500)
  })

  it('begins at the end of another session, wherever the person was in the one before', () => {
    const { viewport, resized, button, scroll, change } = show({ session: fakeSession(stateOf('a', 'b', 'c', 'd')) })
    scroll(50)
    expect(button.hidden).toBe(false)
    change({ session: fakeSession(stateOf('e', 'f', 'g', 'h', 'i')) })
    resized()
    expect([viewport.scrollTop, button.hidden, button.textContent]).toEqual([200, true, '0'])
    scroll(100)
    expect([button.hidden, button.textContent]).toEqual([false, '0'])
  })

  it('counts what came also after the last message that was seen was taken back', () => {
    const session = fakeSession(stateOf('a', 'b', 'c', 'd', 'e'))
    const { button, scroll } = show({ session })
    scroll(150)
    act(() => session.emit({ type: 'rewound', toMessageId: 'd' }))
    expect(button.textContent).toBe('0')
    act(() => session.emit(message('f')))
    expect(button.textContent).toBe('1')
  })

  it('follows again when the person scrolls down to the end', () => {
    const session = fakeSession(stateOf('a', 'b', 'c', 'd', 'e'))
    const { button, scroll } = show({ session })
    scroll(0)
    scroll(100)
    expect(button.hidden).toBe(false)
    scroll(180)
    expect(button.hidden).toBe(true)
  })

  it.each([
    ['a wheel', (viewport: HTMLElement) => fireEvent.wheel(viewport, { deltaY: -1 })],
    ['a finger', (viewport: HTMLElement) => fireEvent.touchMove(viewport)],
    ['a key', (viewport: HTMLElement) => fireEvent.keyDown(viewport, { key: 'PageUp' })],
  ])('lets go at the first sign of %s', (_name, sign) => {
    const session = fakeSession(stateOf('a', 'b', 'c', 'd'))
    const { viewport, resized } = show({ session })
    act(() => void sign(viewport))
    act(() => session.emit(message('e')))
    resized()
    expect(viewport.scrollTop).toBe(100)
  })

  it('keeps what is in sight where it is when older messages come', async () => {
    const message = (id: string) => ({ role: 'user' as const, id, at: 1, parts: [] })
    const session = fakeRemote(stateOf('c', 'd', 'e', 'f', 'g', 'h'), [message('a'), message('b')])
    const { viewport, scroll, older } = show({ session })
    scroll(50)
    act(() => fireEvent.click(older))
    await settled()
    expect([viewport.querySelectorAll('article').length, viewport.scrollTop]).toEqual([8, 250])
  })

  it('puts what is sent at the top where that is asked for', () => {
    const session = fakeSession(stateOf('a', 'b', 'c', 'd'))
    const { viewport, resized } = show({ session }, { anchor: 'message' })
    act(() => session.emit(message('mine', 'user')))
    resized()
    expect(viewport.scrollTop).toBe(200)
    for (const id of ['x', 'y', 'z']) {
      act(() => session.emit(message(id)))
      resized()
    }
    // The message is at the top: it stays there.
    expect(viewport.scrollTop).toBe(400)
  })

  it('is a log that is not read out', () => {
    const { viewport } = show({ session: fakeSession() })
    expect(viewport.getAttribute('aria-live')).toBe('off')
    expect(viewport.tabIndex).toBe(0)
  })
})

describe('useAnnouncer', () => {
  const run = { type: 'run-start', runId: 'r', trigger: 'input', inputIds: [], config: {} } as const
  const usage = { run: { requests: 0 }, total: { requests: 0 } }
  const finish = (reason: 'stop' | 'aborted') => ({ type: 'finish', runId: 'r', reason, usage }) as const

  function shown(target: SessionTarget) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { container } = render(
      <AgentProvider {...target}>
        <Announcer />
      </AgentProvider>,
    )
    return () => [
      container.querySelector('[role=status]')?.textContent,
      container.querySelector('[role=alert]')?.textContent,
    ]
  }

  it('says nothing of what was there, and what comes together in one go', () => {
    const session = fakeSession({ ...stateOf('a'), seq: 5 })
    const said = shown({ session })
    expect(said()).toEqual(['', ''])
    act(() => session.emit(run))
    expect(said()).toEqual(['At work.', ''])
    const parts = [{ type: 'text', text: 'It is 5°. Take a coat.' }] as const
    act(() => session.emit({ type: 'message', message: { role: 'assistant', id: 'm', at: 1, parts } }, finish('stop')))
    expect(said()).toEqual(['At work.', ''])
    act(() => vi.advanceTimersByTime(1_000))
    expect(said()).toEqual(['Reply complete. It is 5°.', ''])
  })

  it.each([
    ['天気は晴れです。傘は要りません。', '天気は晴れです。'],
    ['كيف حالك؟ أنا بخير.', 'كيف حالك؟'],
    ['Version 2.1 is out. Get it.', 'Version 2.1 is out.'],
    ['One\nline without an end', 'One\nline without an end'],
  ])('says the first sentence of a reply, in any script: %s', (text, first) => {
    const session = fakeSession(stateOf('a'))
    const said = shown({ session })
    const parts = [{ type: 'text', text }] as const
    act(() => session.emit({ type: 'message', message: { role: 'assistant', id: 'm', at: 1, parts } }, finish('stop')))
    expect(said()).toEqual([`Reply complete. ${first}`, ''])
  })

  it('interrupts for what is asked', () => {
    const session = fakeSession()
    const said = shown({ session })
    act(() =>
      session.emit({
        type: 'request',
        request: { id: 'a', kind: 'approval', path: [], description: { title: 'Delete it' } },
      }),
    )
    expect(said()).toEqual(['', 'Approval needed: Delete it'])
  })

  it('tells of a connection that goes and comes', () => {
    const session = fakeRemote(initialState('s'))
    const said = shown({ session })
    act(() => session.connect({ status: 'live' }))
    expect(said()).toEqual(['', ''])
    act(() => session.connect({ status: 'reconnecting', attempt: 1 }))
    expect(said()).toEqual(['Connection lost.', ''])
    act(() => session.connect({ status: 'live' }))
    act(() => vi.advanceTimersByTime(1_000))
    expect(said()).toEqual(['Connected again.', ''])
  })
})

function Announcer(): ReactNode {
  const { getStatusProps, getAlertProps } = useAnnouncer({ working: 'At work.' })
  return (
    <>
      <div {...getStatusProps()} />
      <div {...getAlertProps()} />
    </>
  )
}
