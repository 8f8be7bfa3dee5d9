import type { PlanExit, Request, Resolution } from '@stepwell/sdk'
import type { KeyPress } from '../terminal/keyboard.ts'
import { lineEditor } from '../terminal/line-editor.ts'
import type { Panel } from '../terminal/panel.ts'
import { printable } from '../terminal/printable.ts'
import type { Style } from '../terminal/style.ts'
import type { Dialog } from './dialog.ts'

/** Shows a plan, and takes a key: carry it out, revise it (with a note), or drop it. */
export function planDialog({ tool }: Request, style: Style): Dialog {
  const plan = typeof tool?.input.plan === 'string' ? tool.input.plan : JSON.stringify(tool?.input)
  const editor = lineEditor()
  let noting: Exclude<PlanExit, 'approve'> | undefined

  function press(key: KeyPress): Resolution | 'stop' | undefined {
    if (noting === undefined) {
      if (key.name === 'y') return { decision: 'approve' }
      if (key.name === 'escape') return 'stop'
      if (key.name === 'r') noting = 'revise'
      if (key.name === 'n') noting = 'reject'
      return undefined
    }
    if (key.name === 'escape') noting = undefined
    else if (key.name !== 'return') editor.press(key)
    else if (noting === 'reject' || editor.text.trim() !== '') {
      const note = editor.take().trim()
      return { decision: noting, ...(note !== '' && { note }) }
    }
    return undefined
  }

  function panel(): Panel {
    if (noting === undefined) {
      return { rows: [{ text: 'Go ahead?  y yes · r revise it · n no', style: 'bold' }] }
    }
    const label = noting === 'revise' ? 'What should change? ' : 'Why not? '
    return { rows: [{ text: 'Enter sends it back, Esc goes back.', style: 'dim' }], field: { label, editor } }
  }

  return { intro: `${style('yellow', '? A plan')}\n${printable(plan).trim()}\n\n`, panel, press }
}
