import type { ApprovalExit, JsonObject, Request, Resolution } from '@stepwell/sdk'
import type { KeyPress } from '../terminal/keyboard.ts'
import { lineEditor } from '../terminal/line-editor.ts'
import type { Panel } from '../terminal/panel.ts'
import type { Style } from '../terminal/style.ts'
import type { Dialog } from './dialog.ts'
import { effectText } from './effect.ts'

const EXITS: Readonly<Record<string, ApprovalExit>> = { y: 'allow-once', s: 'allow-session', a: 'allow-always' }

/** Shows what a call would do, and takes a key. */
export function approvalDialog(request: Request, style: Style): Dialog {
  const { tool, options = [], suggestedRule } = request
  const command = typeof tool?.input.command === 'string' ? tool.input.command : undefined
  const effect = request.description ?? { title: `Call ${tool?.name}`, command: JSON.stringify(tool?.input) }
  const note = lineEditor()
  const edited = lineEditor()
  let typing: 'note' | 'command' | undefined

  function choose({ name }: KeyPress): Resolution | 'stop' | undefined {
    const decision = EXITS[name]
    if (decision !== undefined && options.includes(decision)) return { decision }
    if (name === 'escape') return 'stop'
    if (name === 'n') typing = 'note'
    if (name === 'e' && command !== undefined) {
      edited.set(command)
      typing = 'command'
    }
    return undefined
  }

  function type(key: KeyPress): Resolution | undefined {
    const editor = typing === 'note' ? note : edited
    if (key.name === 'escape') typing = undefined
    else if (key.name !== 'return') editor.press(key)
    else if (typing === 'note') return denial(note.take().trim())
    else if (edited.text.trim() !== '') return allowance(tool?.input ?? {}, edited.take())
    return undefined
  }

  function panel(): Panel {
    if (typing === 'note') {
      return { rows: [dim('Enter denies it, Esc goes back.')], field: { label: 'Why not? ', editor: note } }
    }
    if (typing === 'command') {
      return { rows: [dim('Enter runs it like this, Esc goes back.')], field: { label: '$ ', editor: edited } }
    }
    const longer = options.includes('allow-always') ? ['s this session', 'a always'] : []
    const keys = ['y once', ...longer, ...(command === undefined ? [] : ['e edit']), 'n no']
    const rule = longer.length > 0 ? [dim(`s and a allow ${suggestedRule}`)] : []
    return { rows: [...rule, { text: `Allow it?  ${keys.join(' · ')}`, style: 'bold' }] }
  }

  return {
    intro: `${effectText(effect, style)}\n`,
    panel,
    press: (key) => (typing === undefined ? choose(key) : type(key)),
  }
}

function denial(note: string): Resolution {
  return { decision: 'deny', ...(note !== '' && { note }) }
}

function allowance(input: JsonObject, command: string): Resolution {
  return command === input.command
    ? { decision: 'allow-once' }
    : { decision: 'allow-once', editedInput: { ...input, command } }
}

function dim(text: string) {
  return { text, style: 'dim' } as const
}
