/**
 * The first `max` UTF-16 units of a text, one less where that would cut a character in half.
 * Gives the text itself when it is no longer than that.
 */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text
  return text.slice(0, isPairCut(text, max) ? max - 1 : max)
}

function isPairCut(text: string, at: number): boolean {
  return at > 0 && isHighSurrogate(text.charCodeAt(at - 1)) && isLowSurrogate(text.charCodeAt(at))
}

export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
