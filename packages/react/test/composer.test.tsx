import { initialState } from '@stepwell/sdk'
import { createEvent, fireEvent } from '@testing-library/dom'
import { act, type ReactNode } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { type FakeSession, fakeSession } from '../../sdk/src/testing/fake-session.ts'
import { AgentProvider, type ComposerOptions, useComposer } from '../src/index.ts'
import { render, settled } from './render.tsx'

function Composer({ options }: { readonly options: ComposerOptions | undefined }): ReactNode {
  const composer = useComposer(options)
  const { attachments, restore, getFormProps, getInputProps, getSendProps, getStopProps, getAttachProps } = composer
  return (
    <form {...getFormProps()}>
      <textarea {...getInputProps({ className: 'mine' })} />
      <input {...getAttachProps()} />
      <button {...getSendProps()}>Send</button>
      <button {...getStopProps()}>Stop</button>
      <button type="button" name="restore" onClick={() => restore(composer.text)}>
        Restore
      </button>
      <output>{attachments.map(({ name, status }) => `${name}:${status}`).join()}</output>
    </form>
  )
}

function show(session: FakeSession = fakeSession(), options?: ComposerOptions) {
  const app = (
    <AgentProvider session={session}>
      <Composer options={options} />
    </AgentProvider>
  )
  const shown = render(app)
  const find = <E extends HTMLElement>(selector: string): E => shown.container.querySelector<E>(selector) as E
  const input = find<HTMLTextAreaElement>('textarea')
  return {
    ...shown,
    app,
    session,
    input,
    send: find<HTMLButtonElement>('[type=submit]'),
    stop: find<HTMLButtonElement>('[aria-label=Stop]'),
    attach: find<HTMLInputElement>('[type=file]'),
    output: find('output'),
    type: (value: string) => act(() => fireEvent.change(input, { target: { value } })),
    key: (init: object) => act(() => fireEvent.keyDown(input, init)),
    sent: () =>
      session.asked.map(({ command, args: [first, options] }) => [
        command,
        first,
        (options as { mode?: string })?.mode,
      ]),
  }
}

const RUN = { type: 'run-start', runId: 'r', trigger: 'input', inputIds: [], config: {} } as const

describe('useComposer', () => {
  it('sends with Enter, and is empty then', () => {
    const { input, send, type, key, sent } = show()
    expect([send.disabled, input.className, input.getAttribute('aria-label')]).toEqual([true, 'mine', 'Message'])
    type('Hi')
    expect(send.disabled).toBe(false)
    key({ key: 'Enter' })
    expect([input.value, sent()]).toEqual(['', [['send', 'Hi', 'steer']]])
  })

  it('sends once, however fast it is told twice', () => {
    const { input, type, sent } = show()
    type('Hi')
    act(() => {
      fireEvent.keyDown(input, { key: 'Enter' })
      fireEvent.keyDown(input, { key: 'Enter' })
    })
    expect(sent().length).toBe(1)
  })

  it('leaves Enter to an input method, and with Shift to the text', () => {
    const { type, key, sent } = show()
    type('にほん')
    key({ key: 'Enter', isComposing: true })
    key({ key: 'Enter', keyCode: 229 })
    key({ key: 'Enter', shiftKey: true })
    expect(sent()).toEqual([])
    key({ key: 'Enter', keyCode: 13 })
    expect(sent().length).toBe(1)
  })

  it('leaves Enter to the text on a touch screen', () => {
    const matches = (query: string) => ({ matches: query === '(pointer: coarse)' }) as MediaQueryList
    vi.stubGlobal('matchMedia', matches)
    const { type, key, sent } = show()
    type('Hi')
    key({ key: 'Enter' })
    vi.stubGlobal('matchMedia', undefined)
    expect(sent()).toEqual([])
  })

  it('sends by the other lane with Ctrl or Cmd', () => {
    const { type, key, sent } = show(undefined, { whileRunning: 'queue' })
    for (const keys of [{}, { ctrlKey: true }, { metaKey: true }]) {
      type('Hi')
      key({ key: 'Enter', ...keys })
    }
    expect(sent().map(([, , mode]) => mode)).toEqual(['queue', 'steer', 'steer'])
  })

  it('stops with Escape while a run is open, and takes back what waited', async () => {
    const { session, input, stop, type, key, sent } = show()
    key({ key: 'Escape' })
    expect([sent(), stop.disabled]).toEqual([[], true])
    act(() => session.emit(RUN))
    expect(stop.disabled).toBe(false)
    type('and')
    key({ key: 'Escape' })
    expect(sent()).toEqual([['abort', 'r', undefined]])
    const parts = (text: string) => [{ type: 'text' as const, text }]
    act(() =>
      session.answer({
        status: 'done',
        returned: [
          { inputId: 'a', parts: parts('First'), lane: 'steer' },
          { inputId: 'b', parts: parts('Second'), lane: 'queue' },
        ],
      }),
    )
    await settled()
    expect(input.value).toBe('First\n\nSecond\n\nand')
  })

  it('takes the last input that waits back with ArrowUp, in an empty composer only', async () => {
    const state = initialState('s')
    const waiting = { id: 'q', parts: [{ type: 'text' as const, text: 'Later' }], lane: 'queue' as const, at: 1 }
    const lanes = { ...state.pending.lanes, queue: [waiting] }
    const { session, input, type, key, sent } = show(fakeSession({ ...state, pending: { ...state.pending, lanes } }))
    type('x')
    key({ key: 'ArrowUp' })
    expect(sent()).toEqual([])
    type('')
    key({ key: 'ArrowUp' })
    expect(session.asked).toMatchObject([{ command: 'changeInput', args: ['q', { remove: true }] }])
    act(() => session.answer({ status: 'done' }))
    await settled()
    expect(input.value).toBe('Later')
  })

  it('gives a handler of the app the first word', () => {
    const session = fakeSession()
    const { container } = render(
      <AgentProvider session={session}>
        <Own />
      </AgentProvider>,
    )
    const input = container.querySelector('textarea') as HTMLTextAreaElement
    act(() => fireEvent.change(input, { target: { value: 'Hi' } }))
    act(() => fireEvent.keyDown(input, { key: 'Enter' }))
    expect(session.asked).toEqual([])
  })

  it('attaches files that are chosen or pasted, and sends them with the text once they are read', async () => {
    const { input, attach, output, send, type, key, sent } = show()
    const picture = new File([new Uint8Array([1, 2])], 'a.png', { type: 'image/png' })
    act(() => fireEvent.change(attach, { target: { files: [picture] } }))
    expect([output.textContent, send.disabled]).toEqual(['a.png:reading', true])
    await settled()
    const paste = createEvent.paste(input, { clipboardData: { files: [new File(['x'], 'b.bin')] } })
    act(() => fireEvent(input, paste))
    await settled()
    expect(output.textContent).toBe('a.png:ready,b.bin:ready')
    type('Look')
    key({ key: 'Enter' })
    expect(sent()).toMatchObject([
      [
        'send',
        [
          { type: 'text', text: 'Look' },
          { type: 'image', mediaType: 'image/png', name: 'a.png' },
          { type: 'file', mediaType: 'application/octet-stream', name: 'b.bin' },
        ],
        'steer',
      ],
    ])
    expect(output.textContent).toBe('')
  })

  it('says of a file that cannot be read that it cannot, and sends nothing without it', async () => {
    const { attach, output, type, key, sent } = show()
    const broken = new File(['x'], 'gone.txt')
    Object.defineProperty(broken, 'arrayBuffer', { value: () => Promise.reject(new Error('gone')) })
    act(() => fireEvent.change(attach, { target: { files: [broken] } }))
    await settled()
    expect(output.textContent).toBe('gone.txt:failed')
    type('Look')
    key({ key: 'Enter' })
    expect(sent()).toEqual([])
  })

  it('has its draft again when it comes back', () => {
    const { app, type, unmount } = show()
    type('Half a thou')
    unmount()
    const { container } = render(app)
    expect(container.querySelector('textarea')?.value).toBe('Half a thou')
  })
})

function Own(): ReactNode {
  const { getInputProps } = useComposer()
  return <textarea {...getInputProps({ onKeyDown: (event) => event.preventDefault() })} />
}
