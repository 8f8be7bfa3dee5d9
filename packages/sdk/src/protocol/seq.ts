/**
 * A session's order. `seq = generation × 2^32 + index`: it grows across restarts and machines, and gaps are normal.
 * The generation is raised by every owner that takes the session's lease; the index counts that owner's events.
 */
const INDEXES = 2 ** 32

/** The highest generation whose seqs are still exact integers in a double. */
export const MAX_GENERATION = 2_097_151

export function makeSeq(generation: number, index: number): number {
  return generation * INDEXES + index
}

export function generationOf(seq: number): number {
  return Math.floor(seq / INDEXES)
}

export function indexOf(seq: number): number {
  return seq % INDEXES
}
