import type { NameRule } from './legal-names.ts'

/** Exactly nine letters and digits. */
export const NINE_CHARACTER_IDS: NameRule = { legal: /^[a-zA-Z0-9]{9}$/, derive: (hash) => hash.slice(-9) }
