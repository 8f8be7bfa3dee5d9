import { word } from '../work/replies.mjs'

const MODEL = { provider: 'bench', model: 'bench', api: 'openai-chat' }
const REPLY_CHARACTERS = 800
const DELTAS = 13
const CALL = { inputTokens: 100, outputTokens: 200 }
/** 20 events a run: 7 around the reply's deltas and message. */
const EVENTS_OF_A_RUN = DELTAS + 7

/** The events of one run as the SDK stores them, from `seq` on: a short input, a reply of 800 characters in 13 deltas. */
export function eventsOfRun(number, seq) {
  const runId = `run_${number}`
  const at = 1_764_550_000_000 + number * 10_000
  const messageId = `msg_${number}`
  const text = replyOf(number)
  const totals = (requests) => ({
    requests,
    inputTokens: CALL.inputTokens * requests,
    outputTokens: CALL.outputTokens * requests,
    totalTokens: (CALL.inputTokens + CALL.outputTokens) * requests,
  })
  const usage = { run: totals(1), total: totals(number + 1) }
  const models = { model: 'bench', requestedModel: 'bench' }
  const input = [{ type: 'text', text: `Question ${number}?` }]
  const user = { role: 'user', id: `in_${number}`, at, runId, placed: 'start', parts: input }
  const assistant = {
    role: 'assistant',
    id: messageId,
    at,
    runId,
    turn: 1,
    model: MODEL,
    parts: [{ type: 'text', text }],
  }
  const drafts = [
    { type: 'input', inputId: user.id, parts: input, lane: 'start' },
    { type: 'run-start', trigger: 'input', inputIds: [user.id], config: { model: MODEL, maxTurns: 50 } },
    { type: 'message', message: user },
    { type: 'turn-start', turn: 1, attempt: 1, messageId, purpose: 'reply', model: MODEL, estimatedTokens: 100 },
    ...deltasOf(text),
    { type: 'message', message: assistant },
    { type: 'usage', call: CALL, ...usage, ...models, stop: 'stop', context: { used: 300 } },
    { type: 'finish', reason: 'stop', usage, ...models },
  ]
  if (drafts.length !== EVENTS_OF_A_RUN) throw new Error(`A run has ${drafts.length} events`)
  return drafts.map((draft, index) => ({ ...draft, runId, seq: seq + index, at }))
}

function replyOf(number) {
  let text = ''
  for (let index = number; text.length < REPLY_CHARACTERS; index++) text += word(index)
  return text.slice(0, REPLY_CHARACTERS)
}

function deltasOf(text) {
  const length = Math.ceil(text.length / DELTAS)
  return Array.from({ length: DELTAS }, (_, index) => {
    const from = index * length
    return { type: 'text-delta', part: 0, from, text: text.slice(from, from + length) }
  })
}
