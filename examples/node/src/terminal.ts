import type { Confirm } from './confirm.ts'
import { effectText } from './effect.ts'
import { ask, onInterrupt } from './prompt.ts'
import { createRenderer, type Renderer } from './render.ts'
import { createScreen, type Screen } from './screen.ts'
import { type Style, styleFor } from './style.ts'

const TICK_MS = 100

/** The one place where a run, its status line and questions to the person share keyboard and screen. */
export interface Terminal {
  readonly screen: Screen
  readonly renderer: Renderer
  readonly style: Style
  readonly confirm: Confirm
  /** Shows `status` and listens for Ctrl-C while `work` is under way. */
  during(work: Promise<unknown>, status: () => string, interrupted: () => void): Promise<void>
}

export function createTerminal(): Terminal {
  const style = styleFor(process.stdout)
  const screen = createScreen(process.stdout)
  const write = (text: string) => screen.write(text)
  const renderer = createRenderer({ reply: write, aside: write }, style)
  /** What a run holds of the terminal, given up while a question is asked. */
  let held: { interrupted(): void; take(): void; release(): void } | undefined

  return {
    screen,
    renderer,
    style,
    async confirm(effect, signal) {
      renderer.endBlock()
      held?.release()
      screen.write(effectText(effect, style))
      const answer = await ask(style('bold', 'Allow it? [y/N] '), { signal })
      screen.write('\n')
      if (answer.kind !== 'text') held?.interrupted()
      held?.take()
      return answer.kind === 'text' && /^y(es)?$/i.test(answer.text)
    },
    async during(work, status, interrupted) {
      let ticker: NodeJS.Timeout | undefined
      let deafen = () => {}
      held = {
        interrupted,
        take() {
          deafen = onInterrupt(interrupted)
          ticker = setInterval(() => screen.status(style('dim', status())), TICK_MS)
        },
        release() {
          deafen()
          deafen = () => {}
          clearInterval(ticker)
          screen.status(undefined)
        },
      }
      held.take()
      try {
        await work
      } finally {
        held.release()
        held = undefined
      }
    },
  }
}
