import type { ReactNode } from 'react'
import {
  AgentProvider,
  MessageParts,
  type SessionHandle,
  type SessionTarget,
  useMessageIds,
  useSession,
} from '../src/index.ts'
import { Probe, type Rendered, render, Seen } from './render.tsx'

/** The smallest transcript by rows. */
export function Transcript(): ReactNode {
  return useMessageIds().map((id) => (
    <p key={id} id={id}>
      <MessageParts id={id} />
    </p>
  ))
}

export interface Shown<T> extends Rendered {
  readonly seen: Seen<T>
}

/** A component with this hook. */
export function show<T>(target: SessionTarget, useIt: () => T, children?: ReactNode): Shown<T> {
  const seen = new Seen<T>()
  const shown = render(
    <AgentProvider {...target}>
      <Probe useIt={useIt} seen={seen} />
      {children}
    </AgentProvider>,
  )
  return Object.defineProperties({ seen } as Shown<T>, Object.getOwnPropertyDescriptors(shown))
}

/** A transcript, and what it can be told to do. */
export function showChat(target: SessionTarget): Shown<SessionHandle> {
  return show(target, useSession, <Transcript />)
}
