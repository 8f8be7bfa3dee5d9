import type { CallIdRule } from './wire-ids.ts'

/** Exactly nine letters and digits. */
export const NINE_CHARACTER_IDS: CallIdRule = { legal: /^[a-zA-Z0-9]{9}$/, derive: (hash) => hash.slice(-9) }
