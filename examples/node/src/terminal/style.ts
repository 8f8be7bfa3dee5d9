import { styleText } from 'node:util'

export type Style = (kind: 'dim' | 'bold' | 'red' | 'green' | 'yellow' | 'cyan', text: string) => string

/** Colours for a terminal that has them; `NO_COLOR`, `TERM=dumb` and pipes get plain text. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  return stream.isTTY && stream.hasColors() ? styled : plain
}

export const plain: Style = (_kind, text) => text

/** Line by line, so that no colour is open where a line ends. */
const styled: Style = (kind, text) =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : styleText(kind, line)))
    .join('\n')
