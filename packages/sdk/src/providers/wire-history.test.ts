import { expect, test } from 'vitest'
import type { JsonObject } from '../protocol/json.ts'
import type { AssistantPart, Message, ToolCallPart } from '../protocol/messages.ts'
import { WireHistory } from './wire-history.ts'
import { CALL_IDS, wireIds } from './wire-ids.ts'
import { wireNames } from './wire-names.ts'

const user = (text: string): Message => ({ role: 'user', id: 'u', at: 0, parts: [{ type: 'text', text }] })
const reply = (...parts: AssistantPart[]): Message => ({ role: 'assistant', id: 'a', at: 0, parts })
const call = (callId: string, over: Partial<ToolCallPart> = {}): ToolCallPart => ({
  type: 'tool-call',
  callId,
  toolName: 'read',
  input: {},
  state: 'done',
  ...over,
})
const blob = { sha256: 'a', size: 1 }

/** Sends histories one after the other, and tells which messages were written, by their position. */
function sender(names: readonly string[] = ['read']) {
  const history = new WireHistory<JsonObject>()
  return async (messages: readonly Message[], tools = names) => {
    const written: number[] = []
    const words = { names: wireNames(tools), idOf: wireIds(CALL_IDS) }
    const wire = await history.of(messages, words, async (message) => {
      written.push(messages.indexOf(message))
      const calls = message.role === 'assistant' ? message.parts.filter((part) => part.type === 'tool-call') : []
      return [{ id: message.id, calls: calls.map((each) => [words.idOf(each), words.names.toWire(each.toolName)]) }]
    })
    return { written, wire }
  }
}

test('a message is written once, however often it is sent', async () => {
  const send = sender()
  const [first, second, third] = [user('a'), reply(call('c')), user('b')]
  const before = await send([first, second])
  expect(before.written).toEqual([0, 1])
  const after = await send([first, second, third])
  expect(after.written).toEqual([2])
  expect(after.wire.slice(0, 2)).toEqual(before.wire)
  expect((await send([first, reply(call('c'))])).written).toEqual([1])
})

test('calls are written again where their ids or names become others', async () => {
  const send = sender()
  const early = reply(call('c1', { providerCallId: 'x' }))
  const late = reply(call('c2', { providerCallId: 'x' }))
  expect((await send([early, late])).wire).toMatchObject([{ calls: [['x', 'read']] }, { calls: [['c2', 'read']] }])
  // Without the first one, its id is free.
  expect(await send([late])).toMatchObject({ written: [0], wire: [{ calls: [['x', 'read']] }] })

  const dotted = reply(call('c3', { toolName: 'a.b' }))
  const [one] = (await send([dotted], ['a.b'])).wire
  const taken = wireNames(['a.b']).toWire('a.b')
  const [other] = (await send([dotted], ['a.b', taken])).wire
  expect(other).not.toEqual(one)
})

test('bytes are not kept', async () => {
  const send = sender()
  const image: Message = { role: 'user', id: 'u', at: 0, parts: [{ type: 'image', mediaType: 'image/png', blob }] }
  const result = { callId: 'c', toolName: 'read', outcome: 'ok', output: '', durationMs: 1 } as const
  const shown = reply(call('c', { result: { ...result, images: [{ mediaType: 'image/png', blob }] } }))
  const linked: Message = {
    role: 'user',
    id: 'u',
    at: 0,
    parts: [{ type: 'image', mediaType: 'image/png', url: 'http://x' }],
  }
  await send([image, shown, linked])
  expect((await send([image, shown, linked])).written).toEqual([0, 1])
})

test('what was written is normalised', async () => {
  const history = new WireHistory<JsonObject>()
  const words = { names: wireNames([]), idOf: wireIds(CALL_IDS) }
  expect(await history.of([user('a')], words, async () => [{ text: '\ud83d' }])).toEqual([{ text: '\ufffd' }])
})
