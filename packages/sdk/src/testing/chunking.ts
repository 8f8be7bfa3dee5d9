/** How a body is cut into network reads: in one, byte by byte, at these offsets, or at random ones of a seed. */
export type Chunking = 'whole' | 'bytes' | readonly number[] | { readonly seed: number }

/** Longest chunk of a random split, in bytes: short enough to cut inside events, lines and characters. */
const LONGEST = 700

export function chunked(bytes: Uint8Array, chunking: Chunking): Uint8Array[] {
  if (bytes.length === 0) return []
  if (chunking === 'whole') return [bytes]
  if (chunking === 'bytes') return Array.from(bytes, (_, i) => bytes.subarray(i, i + 1))
  const offsets = 'seed' in chunking ? randomOffsets(bytes.length, chunking.seed) : chunking
  const chunks: Uint8Array[] = []
  let start = 0
  for (const given of [...offsets, bytes.length]) {
    const offset = Math.min(given, bytes.length)
    if (offset > start) chunks.push(bytes.subarray(start, offset))
    start = Math.max(start, offset)
  }
  return chunks
}

function randomOffsets(length: number, seed: number): number[] {
  const random = mulberry32(seed)
  const offsets: number[] = []
  // Squared: mostly short chunks, now and then a long one.
  for (let at = 0; at < length; at += 1 + Math.floor(random() ** 2 * LONGEST)) offsets.push(at)
  return offsets
}

function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
