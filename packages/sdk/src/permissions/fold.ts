/** Characters that are not seen: zero-width ones, joiners, direction marks, fillers. */
export const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\p{Cf}/u

const ALL_INVISIBLE = new RegExp(INVISIBLE, 'gu')

/**
 * One form for everything that some system may take for the same: case, Unicode composition, full-width letters,
 * invisible characters. Rules that deny or ask compare folded, rules that allow compare exactly.
 */
export function fold(text: string): string {
  return text.normalize('NFKC').replace(ALL_INVISIBLE, '').toLowerCase()
}
