import type { AgentEvent, Finish, Message, ToolResult } from '@stepwell/sdk'
import { displayText } from '@stepwell/sdk'
import { callTitle, resultNote } from './calls.ts'
import { NEXT_STEPS } from './endings.ts'
import { printable } from './terminal/printable.ts'
import type { Style } from './terminal/style.ts'

/** Where a run is shown: the replies, and all that is told beside them. */
export interface Sink {
  reply(text: string): void
  aside(text: string): void
}

/** Turns what happens in a session into text, as it comes. Blocks end with an empty line. */
export interface Renderer {
  take(event: AgentEvent): void
  /** What was said before. */
  history(messages: readonly Message[]): void
  /** How a run ended, where that needs a word. */
  ending(finish: Pick<Finish, 'reason' | 'error'>): void
  /** A block of its own. */
  remark(text: string): void
  /** Something else is about to be written. */
  endBlock(): void
}

export function createRenderer({ reply, aside }: Sink, style: Style): Renderer {
  /** UTF-16 units shown of each part of the reply that is coming in. */
  let shown: number[] = []
  /** The titles of the last reply's calls. */
  const titles = new Map<string, string>()
  /** What the last lines belong to. */
  let block: { readonly of: string; readonly write: (text: string) => void; lineEnds: number } | undefined

  function endBlock(): void {
    block?.write('\n'.repeat(2 - block.lineEnds))
    block = undefined
  }

  /** Goes on with the block, or ends it and begins this one. */
  function inBlock(of: string, write: (text: string) => void, text: string, begin = ''): void {
    if (block?.of !== of) {
      endBlock()
      block = { of, write, lineEnds: 0 }
      if (begin !== '') write(begin)
    }
    const [lineEnds = ''] = /\n{0,2}$/.exec(text) ?? []
    const isOnlyEnds = lineEnds.length === text.length
    block.lineEnds = Math.min(2, lineEnds.length + (isOnlyEnds ? block.lineEnds : 0))
    write(text)
  }

  function remark(text: string): void {
    endBlock()
    aside(`${text}\n\n`)
  }

  function part(kind: 'text' | 'reasoning', index: number, from: number, text: string): void {
    const fresh = printable(text.slice(Math.max(0, (shown[index] ?? 0) - from)))
    shown[index] = Math.max(shown[index] ?? 0, from + text.length)
    if (fresh === '') return
    if (kind === 'text') inBlock(`part ${index}`, reply, fresh)
    else inBlock(`part ${index}`, (faint) => aside(style('dim', faint)), fresh)
  }

  function message(said: Message): void {
    if (said.role === 'user') return remark(`${style('bold', '›')} ${printable(displayText(said))}`)
    if (said.role === 'note') return remark(style('dim', printable(displayText(said))))
    said.parts.forEach((each, index) => {
      // What streamed is shown already.
      if (each.type === 'text' || each.type === 'reasoning') part(each.type, index, 0, each.text)
      if (each.type === 'tool-call') titles.set(each.callId, callTitle(each.toolName, each.input))
    })
    shown = []
    endBlock()
  }

  function head(callId: string, isFine: boolean): string {
    const [name = '', ...about] = (titles.get(callId) ?? 'tool').split(' ')
    return [style(isFine ? 'cyan' : 'yellow', '●'), style('bold', name), ...about].join(' ')
  }

  function output(callId: string, text: string): void {
    const isOpen = block?.of === callId && block.lineEnds === 0
    const lines = printable(text).split('\n')
    const gutter = style('dim', '  │ ')
    const body = lines.map((line, index) => {
      const isNew = index > 0 || !isOpen
      return isNew && line !== '' ? gutter + style('dim', line) : style('dim', line)
    })
    inBlock(callId, aside, body.join('\n'), `${head(callId, true)}\n`)
  }

  function result(done: ToolResult): void {
    const isFine = done.outcome === 'ok'
    const note = style(isFine ? 'dim' : 'yellow', resultNote(done))
    if (block?.of !== done.callId) return remark(`${head(done.callId, isFine)}  ${note}`)
    const isOpen = block.lineEnds === 0
    block = undefined
    aside(`${isOpen ? '\n' : ''}${style('dim', '  └')} ${note}\n\n`)
  }

  function ending({ reason, error }: Pick<Finish, 'reason' | 'error'>): void {
    endBlock()
    shown = []
    if (reason === 'stop') return
    const why = error ? `\n${printable(error.message)} (${error.code})` : ''
    remark(style(reason === 'aborted' ? 'yellow' : 'red', NEXT_STEPS[reason] + why))
  }

  return {
    endBlock,
    ending,
    remark,
    history(messages) {
      for (const said of messages) {
        message(said)
        if (said.role !== 'assistant') continue
        for (const each of said.parts) if (each.type === 'tool-call' && each.result) result(each.result)
        if (said.partial) remark(style('dim', '(cut off)'))
      }
    },
    take(event) {
      switch (event.type) {
        case 'turn-start':
          shown = []
          if (event.attempt > 1) remark(style('yellow', `Trying again, attempt ${event.attempt}.`))
          return
        case 'text-delta':
          return part('text', event.part, event.from, event.text)
        case 'reasoning-delta':
          return part('reasoning', event.part, event.from, event.text)
        case 'message':
          return message(event.message)
        case 'tool-output':
          return output(event.callId, event.text)
        case 'tool-result':
          return result(event.result)
        case 'notice':
          return remark(style('yellow', `${printable(event.text)} (${event.code})`))
        case 'finish':
          return ending(event)
      }
    },
  }
}
