/** Controls but line feed and tab, and the marks that turn text around: a terminal would obey them. */
const UNSAFE = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Text of a model, a tool or a file, fit for a terminal: what a terminal would obey is spelled out. */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(UNSAFE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The first line, at most `max` characters of it. */
export function oneLine(text: string, max = 100): string {
  const [line = '', ...more] = printable(text).trim().split('\n')
  const characters = [...line]
  if (characters.length <= max) return more.length > 0 ? `${line} …` : line
  return `${characters.slice(0, max - 1).join('')}…`
}
