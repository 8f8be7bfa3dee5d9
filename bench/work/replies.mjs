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

/** The words of a text in no order that repeats itself: a reply that does is cut by us, as a model's that runs wild. */
export function word(index, text = 0) {
  let mixed = index + text * 1_000_003
  for (let round = 0; round < 2; round++) mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b)
  return WORDS[((mixed ^ (mixed >>> 16)) >>> 0) % WORDS.length]
}

const words = (count, text) => Array.from({ length: count }, (_, index) => word(index, text))

/**
 * What the model of this name answers in this turn (from 0), as Chat Completions chunks.
 *
 *     text:N         N words; the server writes those of text:N:paced a millisecond apart
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
  const text = (count) => words(count, turn).map((content) => chunk({ content }))
  const call = (pieces) => [
    chunk({
      tool_calls: [{ index: 0, id: `call_${turn}`, type: 'function', function: { name: 'save', arguments: '' } }],
    }),
    ...pieces.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ]
  const said = {
    text: () => [...text(Number(count)), chunk({}, 'stop')],
    'tool-input': () => [...call(argumentPieces(Number(count), turn)), chunk({}, 'tool_calls')],
    loop: () => [...text(8), ...call(argumentPieces(4, turn)), chunk({}, 'tool_calls')],
  }
  const isLast = (kind === 'tool-input' && turn === 1) || (kind === 'loop' && turn === Number(count))
  const reply = isLast ? [...text(8), chunk({}, 'stop')] : said[kind]()
  return [chunk({ role: 'assistant', content: '' }), ...reply, { ...chunk({}), choices: [], usage }]
}

const usage = { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 }

/** `{"name":"note","content":"…"}` in that many pieces, another one every turn. */
function argumentPieces(count, turn) {
  return ['{"name":"note","content":"', ...words(count - 2, turn), '"}']
}

/** What a contestant has to have seen when it is done: UTF-16 units of text and of tool input, and calls run. */
export function expected(model) {
  const [kind, number] = model.split(':')
  const count = Number(number)
  const length = (pieces) => pieces.join('').length
  if (kind === 'text') return { text: length(words(count, 0)), input: 0, calls: 0 }
  const [calls, pieces] = kind === 'tool-input' ? [1, count] : [count, 4]
  const seen = { text: kind === 'tool-input' ? 0 : length(words(8, 0)), input: 0, calls }
  for (let turn = 0; turn < calls; turn++) {
    seen.input += length(argumentPieces(pieces, turn))
    seen.text += length(words(8, turn + 1))
  }
  return seen
}
