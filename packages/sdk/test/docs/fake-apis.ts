import { framed } from '../../src/testing/recording-server.ts'

/** A text, or a call of a tool. */
export type FakeReply = string | { readonly call: string; readonly input: object }

/**
 * A `fetch` behind which every model says what it is told to, whoever's API it is asked by. This host's own servers are
 * really asked, but for the ports of Ollama and LM Studio. Without replies the models are polite.
 */
export function fakeApis(replies: readonly FakeReply[] | undefined, real: typeof fetch): typeof fetch {
  const left = [...(replies ?? [])]
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.hostname === '127.0.0.1' && url.port !== '11434' && url.port !== '1234') return real(input, init)
    const reply = replies === undefined ? 'Hello there.' : left.shift()
    if (reply === undefined) throw new Error(`The block has ${replies?.length} replies, and asked for one more.`)
    return new Response(streamed(url.pathname, reply), { headers: { 'content-type': 'text/event-stream' } })
  }
}

function streamed(path: string, reply: FakeReply): string {
  if (path.endsWith('/chat/completions')) return framed('openai-chat', chat(reply).map(json))
  if (path.endsWith('/responses')) return framed('openai-responses', responses(reply).map(json))
  if (path.endsWith('/messages')) return framed('anthropic', messages(reply).map(json))
  throw new Error(`No API is known at ${path}.`)
}

const json = (payload: object): string => JSON.stringify(payload)
const words = (text: string): string[] => text.match(/\s*\S+/g) ?? []

function chat(reply: FakeReply): object[] {
  const choice = (delta: object, finish_reason: string | null = null) => ({
    model: 'fake',
    choices: [{ index: 0, delta, finish_reason }],
  })
  const said =
    typeof reply === 'string'
      ? words(reply).map((content) => choice({ content }))
      : [choice({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: called(reply) }] })]
  const usage = { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 }
  return [...said, choice({}, typeof reply === 'string' ? 'stop' : 'tool_calls'), { choices: [], usage }]
}

function called({ call, input }: Exclude<FakeReply, string>) {
  return { name: call, arguments: JSON.stringify(input) }
}

function responses(reply: FakeReply): object[] {
  const at = { output_index: 0, item_id: 'item_1' }
  const item =
    typeof reply === 'string'
      ? { type: 'message', id: 'item_1', role: 'assistant', content: [{ type: 'output_text', text: reply }] }
      : { type: 'function_call', id: 'item_1', call_id: 'call_1', ...called(reply) }
  const said =
    typeof reply === 'string'
      ? words(reply).map((delta) => ({ type: 'response.output_text.delta', ...at, content_index: 0, delta }))
      : [{ type: 'response.function_call_arguments.delta', ...at, delta: called(reply).arguments }]
  const opened = typeof reply === 'string' ? { ...item, content: [] } : { ...item, arguments: '' }
  return [
    { type: 'response.output_item.added', output_index: 0, item: opened },
    ...said,
    { type: 'response.output_item.done', output_index: 0, item },
    {
      type: 'response.completed',
      response: { status: 'completed', model: 'fake', output: [item], usage: { input_tokens: 12, output_tokens: 8 } },
    },
  ]
}

function messages(reply: FakeReply): object[] {
  const usage = { input_tokens: 12, output_tokens: 1 }
  const delta = (inner: object) => ({ type: 'content_block_delta', index: 0, delta: inner })
  const isText = typeof reply === 'string'
  const block = isText ? { type: 'text', text: '' } : { type: 'tool_use', id: 'toolu_1', name: reply.call, input: {} }
  const said = isText
    ? words(reply).map((text) => delta({ type: 'text_delta', text }))
    : [delta({ type: 'input_json_delta', partial_json: JSON.stringify(reply.input) })]
  return [
    { type: 'message_start', message: { id: 'msg_1', role: 'assistant', model: 'fake', content: [], usage } },
    { type: 'content_block_start', index: 0, content_block: block },
    ...said,
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: isText ? 'end_turn' : 'tool_use' }, usage: { output_tokens: 8 } },
    { type: 'message_stop' },
  ]
}
