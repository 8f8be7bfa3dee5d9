'use client'
import type { Lane, Receipt } from '@stepwell/sdk'
import type { SessionView } from '@stepwell/sdk/view'
import { useMemo, useSyncExternalStore } from 'react'
import { type ComposerProps, composerProps } from './composer-props.ts'
import { type Attachment, type Draft, type DraftState, draftOf, EMPTY_DRAFT } from './draft.ts'
import { useView } from './scope.ts'
import { useCell } from './use-cell.ts'

export interface ComposerOptions {
  /** Where Enter sends to while a run is open: into it (`steer`, the default), or behind it. With Ctrl or Cmd: the other. */
  readonly whileRunning?: Lane
}

export interface Composer extends DraftState, ComposerProps {
  /** There is something to send, and all of it is read. */
  readonly canSend: boolean
  readonly canStop: boolean
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

export type { Attachment }

/** What a person writes to the session. The draft is the session's: it is there again when its composer is. */
export function useComposer({ whileRunning = 'steer' }: ComposerOptions = {}): Composer {
  const view = useView()
  const draft = draftOf(view)
  const state = useSyncExternalStore(
    draft.subscribe,
    () => draft.state,
    () => EMPTY_DRAFT,
  )
  const canStop = useCell('run', (read) => read.getSnapshot().canStop)
  const actions = useMemo(() => composerActions(view, draft, whileRunning), [view, draft, whileRunning])
  const canSend = state !== EMPTY_DRAFT && draft.isReady
  return { ...state, canSend, canStop, ...actions, ...composerProps({ ...actions, ...state, canSend, canStop }) }
}

export type ComposerActions = Omit<Composer, keyof ComposerProps | keyof DraftState | 'canSend' | 'canStop'> & {
  /** By the lane that `whileRunning` is not. */
  sendOtherwise(): Promise<Receipt> | undefined
}

function composerActions(view: SessionView, draft: Draft, whileRunning: Lane): ComposerActions {
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
