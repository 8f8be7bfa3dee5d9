/**
 * The first `max` UTF-16 units of a text, one less where that would cut a character in half.
 * Gives the text itself when it is no longer than that.
 */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text
  // A character of two units begins with the last one kept.
  const cutsPair = (text.codePointAt(max - 1) ?? 0) > 0xffff
  return text.slice(0, cutsPair ? max - 1 : max)
}
