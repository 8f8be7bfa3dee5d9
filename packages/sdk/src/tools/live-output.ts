import type { Clock } from '../protocol/clock.ts'
import type { ToolProgress } from '../protocol/events.ts'
import { rare } from './late.ts'
import type { OutputPump } from './output.ts'

/** An output pump that is loaded when a tool says something: most never do. */
export interface LiveOutput extends OutputPump {
  /** Resolves when nothing waits for the pump any more. */
  settled(): Promise<void>
}

/** What is pushed before the pump is there waits for it, in order; `end` waits for nothing. */
export function liveOutput(clock: Clock, emit: (text: string, progress?: ToolProgress) => void): LiveOutput {
  const waiting: [chunk: string, progress?: ToolProgress][] = []
  let pump: OutputPump | undefined
  let loading: Promise<void> | undefined
  let ended = false

  async function load(): Promise<void> {
    const { outputPump } = await rare()
    if (ended) return
    pump = outputPump(clock, emit)
    for (const each of waiting) pump.push(...each)
  }

  return {
    push(chunk, given) {
      // A tool may count in one object.
      const progress = given && { ...given }
      if (pump !== undefined) return pump.push(chunk, progress)
      waiting.push(progress === undefined ? [chunk] : [chunk, progress])
      // Without the pump the output is not shown; the result does not depend on it.
      loading ??= load().catch(() => {})
    },
    async settled() {
      await loading
    },
    end() {
      ended = true
      pump?.end()
    },
  }
}
