import type { Question, Request, Resolution } from '@stepwell/sdk'
import type { KeyPress } from '../terminal/keyboard.ts'
import { lineEditor } from '../terminal/line-editor.ts'
import type { Panel, Row } from '../terminal/panel.ts'
import type { Dialog } from './dialog.ts'

/** Asks one question after the other: numbers pick, anything else is an answer in their own words. */
export function questionDialog({ questions = [] }: Request): Dialog {
  const editor = lineEditor()
  const answers: Record<string, readonly string[]> = {}
  let index = 0
  let picked = new Set<string>()

  /** Undefined while there is another question. */
  function next(labels: readonly string[]): Resolution | undefined {
    const { id } = current()
    if (labels.length > 0) answers[id] = labels
    picked = new Set()
    editor.set('')
    index++
    if (index < questions.length) return undefined
    const isSkipped = questions.some((question) => answers[question.id] === undefined)
    return { answers, ...(isSkipped && { skipped: true }) }
  }
  function current(): Question {
    return questions[index] as Question
  }

  function press(key: KeyPress): Resolution | undefined {
    const { options, multiple } = current()
    const text = editor.text.trim()
    const label = text === '' && /^[1-9]$/.test(key.text) ? options[Number(key.text) - 1]?.label : undefined
    if (key.name === 'escape' && text === '') return next([])
    if (key.name === 'escape') editor.set('')
    else if (label !== undefined && !multiple) return next([label])
    else if (label !== undefined) picked = toggled(picked, label)
    else if (key.name === 'return' && (text !== '' || picked.size > 0)) {
      const chosen = options.map((option) => option.label).filter((each) => picked.has(each))
      return next(text === '' ? chosen : [...chosen, text])
    } else editor.press(key)
    return undefined
  }

  function panel(): Panel {
    const { header, question, options, multiple } = current()
    const keys = multiple ? 'numbers choose, Enter goes on' : 'a number chooses'
    return {
      rows: [
        { text: `? ${header} · question ${index + 1} of ${questions.length}`, style: 'yellow' },
        { text: question, style: 'bold' },
        ...options.map(({ label, description }, at): Row => {
          const box = multiple ? (picked.has(label) ? '[x] ' : '[ ] ') : ''
          return { text: `  ${at + 1} ${box}${label}${description ? ` — ${description}` : ''}` }
        }),
        { text: `${keys} · or type an answer · Esc skips`, style: 'dim' },
      ],
      field: { label: '› ', editor },
    }
  }

  return { intro: '', panel, press }
}

function toggled(labels: ReadonlySet<string>, label: string): Set<string> {
  const next = new Set(labels)
  if (!next.delete(label)) next.add(label)
  return next
}
