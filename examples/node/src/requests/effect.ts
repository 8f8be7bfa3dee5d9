import type { EffectDescription } from '@stepwell/sdk'
import { printable } from '../terminal/printable.ts'
import type { Style } from '../terminal/style.ts'

/** What would be done, exactly and whole: nobody allows what they cannot see. */
export function effectText({ title, command, diff }: EffectDescription, style: Style): string {
  return [
    style('yellow', `? ${printable(title)}`),
    ...linesOf(command).map((line) => `  $ ${line}`),
    ...linesOf(diff).map((line) => `  ${diffLine(line, style)}`),
    ...(diff === '' ? [style('dim', '  Nothing would change.')] : []),
    '',
  ].join('\n')
}

function linesOf(text = ''): string[] {
  return text === '' ? [] : printable(text).split('\n')
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
