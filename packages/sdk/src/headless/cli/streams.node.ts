import type { Writable } from 'node:stream'
import type { TextSink } from '../records.ts'
import type { TextSource } from '../text.ts'

/** Writes as fast as it is read. Rejects when nobody reads any more. */
export function sinkTo(stream: Writable): TextSink {
  // Each write hears of it by itself.
  stream.on('error', () => {})
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(error) : resolve()))
    })
}

/** For people, whether or not they still read it. */
export async function tell(stream: Writable, text: string): Promise<void> {
  await Promise.resolve(sinkTo(stream)(text)).catch(() => {})
}

/** Words with what is piped in where they say `-`, as a paragraph of its own. */
export async function* filledIn(words: readonly string[], piped: TextSource): AsyncGenerator<string | Uint8Array> {
  for (const [i, word] of words.entries()) {
    if (i > 0) yield word === '-' || words[i - 1] === '-' ? '\n\n' : ' '
    if (word === '-') yield* piped
    else yield word
  }
}
