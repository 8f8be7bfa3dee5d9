import { expect, test } from 'vitest'
import { ReplyScreen } from '../guards/screen.ts'
import { wordList } from '../guards/word-list.ts'
import type { ModelEvent } from '../providers/provider.ts'
import { ScreenedReply } from './screened-reply.ts'

function screened(action: 'mask' | 'block') {
  const screen = new ReplyScreen(wordList({ words: ['xyzzy'], action, mask: '#' }), { sessionId: 's' })
  return { screen, reply: new ScreenedReply(screen) }
}

const text = (text: string, part = 0): ModelEvent => ({ type: 'text', part, text })
const done: ModelEvent = { type: 'done', stop: 'stop', usage: { outputTokens: 3 } }

test('text is held back, masked and given out before done', () => {
  const { reply } = screened('mask')
  expect(reply.take([text('Say xyz')])).toEqual([text('Say ')])
  expect(reply.take([text('zy'), { type: 'reasoning', part: 1, text: 'xyzzy' }])).toEqual([
    text(''),
    { type: 'reasoning', part: 1, text: '' },
  ])
  expect(reply.take([done])).toEqual([text('#'), { type: 'reasoning', part: 1, text: '#' }, done])
})

test('a call opens at once; its input comes in one piece', () => {
  const { reply } = screened('mask')
  expect(reply.take([{ type: 'tool-input', part: 0, text: '{"a":', id: 'c1', name: 'say' }])).toEqual([
    { type: 'tool-input', part: 0, text: '', id: 'c1', name: 'say' },
  ])
  const rest: ModelEvent[] = [
    { type: 'tool-input', part: 0, text: '"xy\\u007azy"}' },
    { type: 'tool-input-end', part: 0 },
  ]
  expect(reply.take(rest).slice(1)).toEqual([
    { type: 'tool-input', part: 0, text: '{"a":"#"}' },
    { type: 'tool-input-end', part: 0 },
  ])
})

test('an input that the API gave parsed is checked, too', () => {
  const end = (a: string): ModelEvent => ({ type: 'tool-input-end', part: 0, input: { a } })
  const opened: ModelEvent = { type: 'tool-input', part: 0, text: '{ "a": "b" }', name: 'say' }
  expect(
    screened('mask')
      .reply.take([opened, end('b')])
      .slice(1),
  ).toEqual([{ ...opened, name: undefined }, end('b')])
  expect(
    screened('mask')
      .reply.take([opened, end('xyzzy')])
      .slice(1),
  ).toEqual([
    { type: 'tool-input', part: 0, text: '{"a":"#"}' },
    { type: 'tool-input-end', part: 0 },
  ])
})

test('opaque state goes with what it belongs to: not with what was masked', () => {
  const of = (part: number): ModelEvent => ({ type: 'state', part, state: part })
  const whole: ModelEvent = { type: 'state', state: 'whole' }
  const { reply } = screened('mask')
  expect(reply.take([text('xyzzy'), of(0), text('Hello', 1), of(1), whole, done])).toEqual([
    text(''),
    text('Hello', 1),
    text('#'),
    of(1),
    done,
  ])
  expect(screened('mask').reply.take([text('Hi'), of(0), whole, done])).toEqual([text('Hi'), of(0), whole, done])
})

test('after a block nothing follows', () => {
  const { reply, screen } = screened('block')
  expect(reply.take([text('Say xyzzy now'), text('more', 1), done])).toEqual([text('Say ')])
  expect(screen.blocked).toEqual(expect.any(String))
  expect(reply.take([text('more', 1), done])).toEqual([])
  expect(reply.end()).toEqual([])
})

test('a block with the last word keeps the usage', () => {
  const { reply, screen } = screened('block')
  expect(reply.take([text('xyzzy'), done])).toEqual([text(''), { type: 'usage', usage: { outputTokens: 3 } }])
  expect(screen.blocked).toEqual(expect.any(String))
})

test('a call with a blocked word never becomes complete', () => {
  const { reply, screen } = screened('block')
  const call: ModelEvent[] = [
    { type: 'tool-input', part: 0, text: '{"a":"xyzzy"}', name: 'say' },
    { type: 'tool-input-end', part: 0 },
    done,
  ]
  expect(reply.take(call)).toEqual([{ type: 'tool-input', part: 0, text: '', name: 'say' }])
  expect(screen.blocked).toEqual(expect.any(String))
})

test('a reply that is cut gives out what was held back', () => {
  const { reply } = screened('mask')
  reply.take([text('Say xyz'), { type: 'tool-input', part: 1, text: '{"a":"xyzzy', name: 'say' }])
  expect(reply.end()).toEqual([text('xyz'), { type: 'tool-input', part: 1, text: '{"a":"#' }])
})
