import { badRequest } from './errors.ts'

/** A number from 1 to `most`. Throws `wire.bad-request`. */
export function countOf(name: string, text: string, most: number): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > most) throw badRequest(`${name} is a number from 1 to ${most}.`)
  return count
}

/** A place in a session's order. Throws `wire.bad-request`. */
export function seqOf(name: string, text: string): number {
  const seq = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(seq)) throw badRequest(`${name} is a seq: a whole number.`)
  return seq
}
