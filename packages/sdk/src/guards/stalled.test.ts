import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../protocol/json.ts'
import type { AssistantMessage, Message, ToolCallPart, ToolResult } from '../protocol/messages.ts'
import { isStalled } from './stalled.ts'

let ids = 0

function call(input: JsonObject, output: JsonValue, result: Partial<ToolResult> = {}): ToolCallPart {
  const callId = `call-${ids++}`
  const answered = { callId, toolName: 'look', outcome: 'ok', output, durationMs: ids, ...result } as const
  return { type: 'tool-call', callId, toolName: 'look', input, state: 'done', result: answered }
}

function turn(...parts: AssistantMessage['parts']): AssistantMessage {
  return { role: 'assistant', id: `msg-${ids++}`, at: ids, runId: 'r', parts }
}

function user(placed: 'start' | 'steer'): Message {
  return { role: 'user', id: `in-${ids++}`, at: ids, runId: 'r', placed, parts: [{ type: 'text', text: 'Go' }] }
}

const times = (count: number, make: (index: number) => Message): Message[] =>
  Array.from({ length: count }, (_, i) => make(i))

test('the same call with the same result, turn after turn, stalls', () => {
  const history = [user('start'), ...times(5, (i) => turn({ type: 'text', text: `Try ${i}` }, call({ a: 1 }, 'no')))]
  expect(isStalled(history, 'r', 5)).toBe(true)
  expect(isStalled(history.slice(0, -1), 'r', 5)).toBe(false)
  expect(isStalled(history, 'r', 3)).toBe(true)
  expect(isStalled(history, 'r', Number.POSITIVE_INFINITY)).toBe(false)
})

test('the order of keys and of calls plays no part', () => {
  const one = turn(call({ a: 1, b: { c: 2, d: 3 } }, 'x'), call({ a: 2 }, { e: 1, f: 2 }))
  const other = turn(call({ a: 2 }, { f: 2, e: 1 }), call({ b: { d: 3, c: 2 }, a: 1 }, 'x'))
  expect(isStalled([one, other], 'r', 2)).toBe(true)
})

test.each<[string, ToolCallPart]>([
  ['output', call({ a: 1 }, 'running, 20 %')],
  ['input', call({ a: 2 }, 'running')],
  ['outcome', call({ a: 1 }, 'running', { outcome: 'error' })],
  ['image', call({ a: 1 }, 'running', { images: [{ mediaType: 'image/png', blob: { sha256: 'b', size: 1 } }] })],
  ['change', call({ a: 1 }, 'running', { changes: [{ path: 'a', kind: 'modified', hashAfter: 'b' }] })],
  ['whole output', call({ a: 1 }, 'running', { full: { sha256: 'b', size: 1 } })],
  ['tool', { ...call({ a: 1 }, 'running'), toolName: 'see' }],
])('another %s is progress', (_what, changed) => {
  const same = (): Message => turn(call({ a: 1 }, 'running'))
  expect(isStalled([same(), same(), turn(changed)], 'r', 3)).toBe(false)
  expect(isStalled([turn(changed), same(), same()], 'r', 3)).toBe(false)
})

test('one call more than before is progress', () => {
  expect(isStalled([turn(call({}, 1)), turn(call({}, 1), call({}, 1))], 'r', 2)).toBe(false)
})

test('two calls that swap their results are progress', () => {
  const before = turn(call({ a: 1 }, 'x'), call({ a: 2 }, 'y'))
  expect(isStalled([before, turn(call({ a: 1 }, 'y'), call({ a: 2 }, 'x'))], 'r', 2)).toBe(false)
})

test('a steer in between starts the count anew, and an earlier run does not count', () => {
  const same = (): Message => turn(call({ a: 1 }, 'no'))
  expect(isStalled([same(), same(), user('steer'), same()], 'r', 3)).toBe(false)
  expect(isStalled([{ ...same(), runId: 'q' } as Message, same(), same()], 'r', 3)).toBe(false)
})

test('replies without calls, without results or with calls of the provider never stall', () => {
  const unanswered = (): Message =>
    turn({ type: 'tool-call', callId: 'c', toolName: 'look', input: {}, state: 'ready' })
  expect(
    isStalled(
      times(5, () => turn({ type: 'text', text: 'Hm.' })),
      'r',
      5,
    ),
  ).toBe(false)
  expect(isStalled(times(5, unanswered), 'r', 5)).toBe(false)
  expect(
    isStalled(
      times(5, () => turn({ ...call({}, 'x'), executed: 'provider' })),
      'r',
      5,
    ),
  ).toBe(false)
  expect(isStalled([], 'r', 2)).toBe(false)
})

test('a call whose input is no JSON stalls by its text', () => {
  const broken = (inputText: string): Message => {
    const { input: _, ...rest } = call({}, 'invalid', { outcome: 'error' })
    return turn({ ...rest, inputText })
  }
  expect(isStalled([broken('{'), broken('{')], 'r', 2)).toBe(true)
  expect(isStalled([broken('{'), broken('{{')], 'r', 2)).toBe(false)
})

test('stalls exactly when the turns are the same as sets of calls', () => {
  const calls = fc.array(
    fc.record({ input: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat(1)), output: fc.nat(1) }),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  const key = (turn: readonly { input: JsonObject; output: JsonValue }[]): string =>
    turn
      .map(({ input, output }) => JSON.stringify([Object.entries(input).sort(), output]))
      .sort()
      .join()
  const property = fc.property(calls, calls, (a, b) => {
    const history = [a, b].map((each) => turn(...each.map(({ input, output }) => call(input, output))))
    expect(isStalled(history, 'r', 2)).toBe(key(a) === key(b))
  })
  fc.assert(property, { seed: 1, numRuns: 2000 })
})
