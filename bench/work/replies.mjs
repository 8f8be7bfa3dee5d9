/** The pieces a reply is streamed in: words of about a token each. */
const WORDS = [
  'The',
  ' depth',
  ' of',
  ' a',
  ' stepwell',
  ' follows',
  ' the',
  ' water',
  ',',
  ' not',
  ' the',
  ' year',
  '.',
]

export const word = (index) => WORDS[index % WORDS.length]

/**
 * What the model of this name answers in this turn (from 0), as Chat Completions chunks.
 *
 *     text:N         N words
 *     tool-input:N   a call whose arguments come in N pieces, then a short reply
 *     loop:N         N turns of a few words and a small call, then a short reply
 */
export function replyTo(model, turn) {
  const [kind, count] = model.split(':')
  const chunk = (delta, finish = null) => ({
    id: `chatcmpl-${turn}`,
    object: 'chat.completion.chunk',
    created: 1764550000,
    model,
    system_fingerprint: 'fp_bench',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })
  const text = (words) => Array.from({ length: words }, (_, index) => chunk({ content: word(index) }))
  const call = (pieces) => [
    chunk({
      tool_calls: [{ index: 0, id: `call_${turn}`, type: 'function', function: { name: 'save', arguments: '' } }],
    }),
    ...pieces.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ]
  const said = {
    text: () => [...text(Number(count)), chunk({}, 'stop')],
    'tool-input': () => [...call(argumentPieces(Number(count))), chunk({}, 'tool_calls')],
    loop: () => [...text(8), ...call(argumentPieces(4)), chunk({}, 'tool_calls')],
  }
  const isLast = (kind === 'tool-input' && turn === 1) || (kind === 'loop' && turn === Number(count))
  const reply = isLast ? [...text(8), chunk({}, 'stop')] : said[kind]()
  return [chunk({ role: 'assistant', content: '' }), ...reply, { ...chunk({}), choices: [], usage }]
}

const usage = { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 }

/** `{"name":"note","content":"…"}` in that many pieces. */
export function argumentPieces(count) {
  const words = Array.from({ length: count - 2 }, (_, index) => word(index))
  return ['{"name":"note","content":"', ...words, '"}']
}

/** What a contestant has to have seen when it is done: UTF-16 units of text and of tool input, and calls run. */
export function expected(model) {
  const [kind, number] = model.split(':')
  const count = Number(number)
  const length = (pieces) => pieces.join('').length
  const words = (n) => length(Array.from({ length: n }, (_, index) => word(index)))
  if (kind === 'text') return { text: words(count), input: 0, calls: 0 }
  if (kind === 'tool-input') return { text: words(8), input: length(argumentPieces(count)), calls: 1 }
  return { text: words(8) * (count + 1), input: length(argumentPieces(4)) * count, calls: count }
}
