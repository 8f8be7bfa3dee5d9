import type { EffectDescription } from '@stepwell/sdk'
import { printable } from './printable.ts'
import type { Style } from './style.ts'

/** What would be done, exactly and whole: nobody allows what they cannot see. */
export function effectText({ title, command, diff }: EffectDescription, style: Style): string {
  const lines = [style('yellow', `? ${printable(title)}`)]
  if (command !== undefined)
    lines.push(
      ...printable(command)
        .split('\n')
        .map((line) => `  $ ${line}`),
    )
  if (diff !== undefined)
    lines.push(
      ...printable(diff)
        .split('\n')
        .map((line) => `  ${diffLine(line, style)}`),
    )
  return `${lines.join('\n')}\n`
}

function diffLine(line: string, style: Style): string {
  switch (line[0]) {
    case '+':
      return style('green', line)
    case '-':
      return style('red', line)
    case '@':
      return style('cyan', line)
    default:
      return line
  }
}
