import type { Ids } from './clock.ts'

/** 24 characters of 32 are 120 random bits: ids cannot be guessed. */
export const systemIds: Ids = (prefix) => {
  let id = `${prefix}_`
  for (const byte of crypto.getRandomValues(new Uint8Array(24))) id += (byte % 32).toString(32)
  return id
}
