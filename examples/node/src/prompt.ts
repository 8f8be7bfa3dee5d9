import type { Input, ReturnedInput, SessionState } from '@stepwell/sdk'
import type { LineEditor } from './terminal/line-editor.ts'
import type { Panel, Row } from './terminal/panel.ts'

/** Inputs that are shown at once. */
const SHOWN = 3

/** What stands below the output: what is going on, what was typed for later, and a question or the prompt. */
export function promptPanel(
  state: SessionState | undefined,
  editor: LineEditor,
  asked: Panel | undefined,
  status: (state: SessionState) => string,
): Panel {
  const rows: Row[] = []
  if (state && state.status !== 'idle') rows.push({ text: status(state), style: 'dim', isCut: true })
  if (state) rows.push(...waitingRows(state.pending))
  if (asked && editor.text === '') return { ...asked, rows: [...rows, ...asked.rows] }
  if (asked) rows.push({ text: 'An answer is wanted: first send this line, or clear it with Ctrl-U.', style: 'yellow' })
  return { rows, field: { label: '› ', editor } }
}

/** What was typed and not yet taken: for the run's next request, or for after it. */
function waitingRows({ lanes }: SessionState['pending']): Row[] {
  const later = lanes.paused ? 'kept back, Enter sends it' : 'afterwards'
  const rows = [...lanes.steer.map(rowOf('next')), ...lanes.queue.map(rowOf(later))]
  const more = rows.length - SHOWN
  return more > 0 ? [...rows.slice(0, SHOWN), { text: `  and ${more} more`, style: 'dim' }] : rows
}

function rowOf(when: string): (input: Input) => Row {
  return (input) => ({ text: `  ${when}: ${inputText(input).replace(/\s+/g, ' ')}`, style: 'dim', isCut: true })
}

/** What an input says. */
export function inputText({ parts }: Pick<Input | ReturnedInput, 'parts'>): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
