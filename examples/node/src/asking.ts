import type { AgentSession, Resolution } from '@stepwell/sdk'
import type { Dialog } from './requests/dialog.ts'
import { dialogFor } from './requests/index.ts'
import type { KeyPress } from './terminal/keyboard.ts'
import type { Panel } from './terminal/panel.ts'
import type { Style } from './terminal/style.ts'

/** Keys that come this soon after a question appeared were not meant for it, in ms. */
const SETTLE_MS = 400

export interface AskingOptions {
  readonly style: Style
  now(): number
  /** Shows what a request is about. */
  introduce(text: string): void
  /** Shows why an answer was not taken. */
  complain(text: string): void
}

/** Asks about a session's open requests, one at a time. */
export interface Asking {
  /** Looks at what is open now. */
  sync(session: AgentSession): void
  /** Of the request that is asked about. */
  panel(): Panel | undefined
  /** `stop`: rather than answer, the person stops the run. */
  press(session: AgentSession, key: KeyPress): Promise<'stop' | undefined>
}

export function createAsking({ style, now, introduce, complain }: AskingOptions): Asking {
  const answered = new Set<string>()
  let open: { readonly id: string; readonly dialog: Dialog; readonly since: number } | undefined

  function sync(session: AgentSession): void {
    const { requests } = session.state.pending
    if (open !== undefined && requests.some(({ id }) => id === open?.id)) return
    open = undefined
    const request = requests.find(({ id }) => !answered.has(id))
    if (request === undefined) return
    const dialog = dialogFor(request, style)
    if (dialog === undefined) {
      answered.add(request.id)
      void session.resolve(request.id, { error: 'The terminal cannot answer this.' })
      return
    }
    open = { id: request.id, dialog, since: now() }
    introduce(dialog.intro)
  }

  async function answer(session: AgentSession, id: string, resolution: Resolution): Promise<void> {
    answered.add(id)
    open = undefined
    const { error } = await session.resolve(id, resolution)
    if (error === undefined) return sync(session)
    complain(`${error.message} (${error.code})`)
    if (error.code === 'request.invalid-answer') answered.delete(id)
    sync(session)
  }

  return {
    sync,
    panel: () => open?.dialog.panel(),
    async press(session, key) {
      if (open === undefined || now() - open.since < SETTLE_MS) return undefined
      const { id, dialog } = open
      const pressed = dialog.press(key)
      if (pressed === 'stop') return 'stop'
      if (pressed !== undefined) await answer(session, id, pressed)
      return undefined
    },
  }
}
