import { basename } from 'node:path'
import type { Agent } from '@stepwell/sdk'
import { EXIT_CODES } from '@stepwell/sdk/headless'
import { converse } from './conversation.ts'
import type { ChosenModel } from './model.ts'
import { createRenderer } from './render.ts'
import { listenToKeys } from './terminal/keyboard.ts'
import { oneLine } from './terminal/printable.ts'
import { createScreen } from './terminal/screen.ts'
import { styleFor } from './terminal/style.ts'

const TICK_MS = 100

/** Talks with the person at the terminal until they leave. */
export async function chat(agent: Agent, { model, from }: ChosenModel, sessionId?: string): Promise<void> {
  const { stdin, stdout } = process
  const style = styleFor(stdout)
  const screen = createScreen(stdout)
  const write = (text: string): void => screen.write(text)
  const renderer = createRenderer({ reply: write, aside: write }, style)
  const opened = sessionId === undefined ? undefined : await agent.session(sessionId, { create: false })
  write(`${style('bold', 'Stepwell')} in ${basename(process.cwd())} · ${oneLine(model.model)} (${from})\n`)
  write(`${style('dim', 'While it works: Enter steers, Alt+Enter queues, Esc stops')}\n\n`)

  const quit = (): void => process.exit(EXIT_CODES.aborted)
  const conversation = converse({ agent, screen, renderer, style, now: Date.now, quit }, opened)
  const release = listenToKeys(stdin, stdout, conversation.press)
  const ticker = setInterval(conversation.redraw, TICK_MS)
  stdout.on('resize', conversation.redraw)
  const session = await conversation.left
  clearInterval(ticker)
  stdout.off('resize', conversation.redraw)
  release()
  if (session) write(style('dim', `To go on: npm run demo -- --session ${session.id}\n`))
}
