/** What comes in pieces: bytes are UTF-8, and may be cut anywhere. */
export type TextSource = AsyncIterable<string | Uint8Array>

async function* decoded(source: TextSource): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const piece of source) {
    yield typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })
  }
  yield decoder.decode()
}

export async function wholeText(source: TextSource): Promise<string> {
  let text = ''
  for await (const piece of decoded(source)) text += piece
  return text
}

/** Lines without their ends, the last one also where it has none. */
export async function* linesOf(source: TextSource): AsyncGenerator<string> {
  let open = ''
  for await (const piece of decoded(source)) {
    open += piece
    // A long line comes in many pieces: it is looked at once, when its end is there.
    if (!piece.includes('\n')) continue
    const lines = open.split('\n')
    open = lines.pop() as string
    for (const line of lines) yield line.replace(/\r$/, '')
  }
  if (open !== '') yield open
}
