import type { Agent, AgentEvent, AgentSession, EventBatch, SessionState } from '@stepwell/sdk'
import { titleOf } from './agent.ts'
import { createAsking } from './asking.ts'
import { duration } from './calls.ts'
import { inputText, promptPanel } from './prompt.ts'
import type { Renderer } from './render.ts'
import { statusLine, usageWords } from './status.ts'
import type { KeyPress } from './terminal/keyboard.ts'
import { lineEditor } from './terminal/line-editor.ts'
import { panelArea } from './terminal/panel.ts'
import { printable } from './terminal/printable.ts'
import type { Screen } from './terminal/screen.ts'
import type { Style } from './terminal/style.ts'

export interface ConversationOptions {
  readonly agent: Agent
  readonly screen: Screen
  readonly renderer: Renderer
  readonly style: Style
  /** Epoch ms. */
  now(): number
  /** Leaves at once, whatever is under way. */
  quit(): void
}

/** A session and a person at a keyboard. */
export interface Conversation {
  press(key: KeyPress): void
  /** Shows what changes with time alone. */
  redraw(): void
  /** Resolves when the person leaves, with the session if there is one. */
  readonly left: Promise<AgentSession | undefined>
}

/** Begins with the session, or makes one with the first message. */
export function converse(options: ConversationOptions, first?: AgentSession): Conversation {
  const { agent, screen, renderer, style, now, quit } = options
  const editor = lineEditor()
  const complain = (text: string): void => renderer.remark(style('red', printable(text)))
  const asking = createAsking({
    style,
    now,
    introduce(text) {
      renderer.endBlock()
      screen.write(text)
    },
    complain,
  })
  let session: AgentSession | undefined
  /** The session there is, or will be. */
  let opening = first && Promise.resolve(first)
  let began = now()
  let isStopping = false
  let isLeft = false
  let leave = (): void => {}
  const left = new Promise<AgentSession | undefined>((resolve) => {
    leave = () => {
      isLeft = true
      screen.live(undefined)
      resolve(session)
    }
  })

  function attach(opened: AgentSession): AgentSession {
    session = opened
    opened.subscribe(follow)
    asking.sync(opened)
    return opened
  }
  function follow(state: SessionState, { events, fault }: EventBatch): void {
    for (const event of events) take(event, state)
    if (fault) renderer.ending({ reason: 'error', error: fault })
    if (session) asking.sync(session)
    redraw()
  }
  function take(event: AgentEvent, { usage }: SessionState): void {
    if (event.type === 'run-start') {
      began = now()
      isStopping = false
    }
    renderer.take(event)
    if (event.type === 'finish')
      renderer.remark(style('dim', [...usageWords(usage), duration(now() - began)].join(' · ')))
  }

  const isOpen = (): boolean => session !== undefined && session.state.status !== 'idle'

  async function submit(mode: 'steer' | 'queue'): Promise<void> {
    const text = editor.take().trim()
    if (text === '') {
      const [keptBack] = session?.state.pending.lanes.queue ?? []
      if (keptBack && !isOpen()) await session?.changeInput(keptBack.id, { lane: 'steer' })
      return
    }
    opening ??= agent.session(undefined, { title: titleOf(text) }).then(attach)
    const { error } = await (await opening).send(text, { mode })
    if (error === undefined) return
    complain(`${error.message} (${error.code})`)
    editor.set(text)
  }

  /** What the run had not taken yet goes back to the prompt. */
  async function stop(): Promise<void> {
    isStopping = true
    const { returned = [] } = (await session?.abort()) ?? {}
    const texts = [...returned.map(inputText), editor.text]
    editor.set(texts.filter((text) => text !== '').join('\n'))
  }

  async function interrupt(): Promise<void> {
    if (isOpen() && isStopping) return quit()
    if (isOpen()) return stop()
    if (editor.text === '') return leave()
    editor.set('')
  }

  async function pressed(key: KeyPress): Promise<void> {
    const { name, ctrl, meta } = key
    const isAsked = asking.panel() !== undefined && editor.text === ''
    if (ctrl && name === 'c') return interrupt()
    // A question stays open in the session.
    if (ctrl && name === 'd' && editor.text === '' && (isAsked || !isOpen())) return leave()
    if (isAsked && session) {
      if ((await asking.press(session, key)) === 'stop') await stop()
      return
    }
    if (name === 'enter' || (name === 'return' && meta)) return submit('queue')
    if (name === 'return') return submit('steer')
    if (name === 'escape' && isOpen()) return stop()
    editor.press(key)
  }

  function status(state: SessionState): string {
    return statusLine(state, now(), now() - began, screen.columns - 1)
  }

  function redraw(): void {
    if (!isLeft) screen.live(panelArea(promptPanel(session?.state, editor, asking.panel(), status), screen, style))
  }

  if (first) {
    const { history, lastFinish, status } = first.state
    renderer.history(history)
    if (lastFinish && status === 'idle') renderer.ending(lastFinish)
    attach(first)
  }
  redraw()
  return {
    left,
    redraw,
    press(key) {
      void pressed(key)
        .catch((thrown: unknown) => complain(String(thrown)))
        .finally(redraw)
      redraw()
    },
  }
}
