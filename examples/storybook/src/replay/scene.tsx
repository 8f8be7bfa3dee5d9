import { AgentProvider } from '@stepwell/react'
import { createSessionView } from '@stepwell/sdk/view'
import { type ReactNode, useEffect, useState } from 'react'
import type { Step } from '../log/log-writer.ts'
import { Player } from './player.ts'
import { type ReplayOptions, replaySession } from './replay-session.ts'
import { Tape } from './tape.ts'
import { Transport } from './transport.tsx'

/** A log, and what happens when somebody does something. */
export interface Recording extends ReplayOptions {
  /** What had happened when the page was opened. Playing begins after it. */
  readonly before?: readonly Step[]
  readonly steps: readonly Step[]
}

export interface SceneProps {
  readonly record: () => Recording
  /** Plays it in place of showing its end at once. */
  readonly autoplay?: boolean
  readonly children?: ReactNode
}

/** A recorded session, shown as it is at the end of its log, with the means to see how it came there. */
export function Scene({ record, autoplay = false, children }: SceneProps): ReactNode {
  const [{ player, view }] = useState(() => open(record()))
  useEffect(() => {
    if (autoplay) player.play()
    return () => player.pause()
  }, [player, autoplay])
  return (
    <AgentProvider view={view}>
      <div className="scene chat">
        {children}
        <Transport player={player} />
      </div>
    </AgentProvider>
  )
}

function open({ before = [], steps, ...options }: Recording) {
  const tape = new Tape('demo', Date.now() - lengthOf(steps))
  tape.record(before)
  const start = tape.length
  tape.record(steps)
  tape.seek(tape.length)
  const player = new Player(tape, start)
  return { player, view: createSessionView(replaySession(tape, player, options)) }
}

function lengthOf(steps: readonly Step[]): number {
  return steps.reduce((sum, { afterMs }) => sum + afterMs, 0)
}
