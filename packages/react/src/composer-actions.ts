import type { Lane, Receipt } from '@stepwell/sdk'
import type { SessionView } from '@stepwell/sdk/view'
import type { Draft } from './draft.ts'

export interface ComposerCommands {
  setText(text: string): void
  attach(files: Iterable<File>): void
  detach(attachmentId: string): void
  /** Sends the draft, by `whileRunning` while a run is open. Undefined when there is nothing to send. */
  send(): Promise<Receipt> | undefined
  steer(): Promise<Receipt> | undefined
  queue(): Promise<Receipt> | undefined
  /** Stops the run. Inputs that waited come back into the draft. */
  stop(): Promise<Receipt>
  /** Takes an input that could not be sent back into the draft. */
  restore(inputId: string): void
  /** Takes an input that waits back into the draft: this one, or the last. */
  takeBack(inputId?: string): Promise<void>
}

export interface ComposerActions extends ComposerCommands {
  /** By the lane that `whileRunning` is not. */
  sendOtherwise(): Promise<Receipt> | undefined
}

export function composerActions(view: SessionView, draft: Draft, whileRunning: Lane): ComposerActions {
  const sendBy = (mode: Lane): Promise<Receipt> | undefined => {
    const input = draft.take()
    return input === undefined ? undefined : view.send(input, { mode })
  }
  return {
    setText: (text) => draft.setText(text),
    attach: (files) => draft.attach(files),
    detach: (id) => draft.detach(id),
    send: () => sendBy(whileRunning),
    sendOtherwise: () => sendBy(whileRunning === 'steer' ? 'queue' : 'steer'),
    steer: () => sendBy('steer'),
    queue: () => sendBy('queue'),
    async stop() {
      const receipt = await view.stop()
      for (const { parts } of [...(receipt.returned ?? [])].reverse()) draft.giveBack(parts)
      return receipt
    },
    restore(inputId) {
      const entry = view.discard(inputId)
      if (entry !== undefined) draft.giveBack(entry.input)
    },
    async takeBack(inputId) {
      const { steer, queue } = view.live.pending.lanes
      const waiting = [...steer, ...queue]
      const input = inputId === undefined ? waiting.at(-1) : waiting.find(({ id }) => id === inputId)
      if (input === undefined) return
      const { status } = await view.session.changeInput(input.id, { remove: true })
      if (status !== 'refused') draft.giveBack(input.parts)
    },
  }
}
