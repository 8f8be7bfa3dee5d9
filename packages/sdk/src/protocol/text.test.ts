import { describe, expect, test } from 'vitest'
import type { AssistantMessage, Message, ToolResult, UserPart } from './messages.ts'
import {
  displayText,
  messageText,
  outputText,
  resultText,
  type Translate,
  UNANSWERED_CALL,
  userPartText,
} from './text.ts'

const result = (fields: Partial<ToolResult>): ToolResult => ({
  callId: 'c',
  toolName: 'read',
  outcome: 'ok',
  output: '',
  durationMs: 1,
  ...fields,
})

const reply: AssistantMessage = {
  role: 'assistant',
  id: 'a',
  at: 1,
  parts: [
    { type: 'reasoning', text: 'hidden' },
    { type: 'text', text: 'It is ' },
    { type: 'tool-call', callId: 'c', toolName: 'read', input: {}, state: 'ready' },
    { type: 'source', sourceId: 's', url: 'https://example.com' },
    { type: 'text', text: '7 °C.\n' },
  ],
}

const parts: readonly [string, UserPart, string][] = [
  ['text', { type: 'text', text: '  as typed\n' }, '  as typed\n'],
  ['an image', { type: 'image', mediaType: 'image/png' }, '[image: image/png]'],
  ['a named image', { type: 'image', mediaType: 'image/png', name: 'cat.png' }, '[image: cat.png]'],
  [
    'an image left out',
    { type: 'image', mediaType: 'image/png', omitted: 'the model sees no images' },
    '[image: image/png, omitted: the model sees no images]',
  ],
  ['a file', { type: 'file', mediaType: 'text/csv' }, '[file: text/csv]'],
  ['a file by its path', { type: 'file', mediaType: 'text/csv', path: 'a/b.csv' }, '[file: a/b.csv]'],
  [
    'a file with its text',
    { type: 'file', mediaType: 'text/csv', name: 'b.csv', path: 'a/b.csv', text: 'x,y\n1,2' },
    '[file: b.csv]\nx,y\n1,2',
  ],
  ['an empty file', { type: 'file', mediaType: 'text/csv', name: 'b.csv', text: '' }, '[file: b.csv]\n'],
  [
    'a file left out',
    { type: 'file', mediaType: 'text/csv', name: 'b.csv', omitted: 'too large' },
    '[file: b.csv, omitted: too large]',
  ],
  ['a session', { type: 'session', sessionId: 's1' }, '[session: s1]'],
  [
    'a session with its text',
    { type: 'session', sessionId: 's1', title: 'Plans', text: 'We agreed.' },
    '[session: Plans]\nWe agreed.',
  ],
  [
    'a session left out',
    { type: 'session', sessionId: 's1', title: 'Plans', omitted: 'deleted' },
    '[session: Plans, omitted: deleted]',
  ],
]

// These texts are sent again every turn: whoever changes one voids the caches of every session there is.
describe('frozen byte for byte', () => {
  test.each(parts)('a user part: %s', (_what, part, text) => {
    expect(userPartText(part)).toBe(text)
  })

  test('a user message is its parts, one below the other', () => {
    const all = parts.slice(0, 2).map(([, part]) => part)
    expect(messageText({ role: 'user', id: 'u', at: 1, parts: all })).toBe('  as typed\n\n[image: image/png]')
    expect(messageText({ role: 'user', id: 'u', at: 1, parts: [] })).toBe('')
  })

  test('a reply is its text alone, joined as it came', () => {
    expect(messageText(reply)).toBe('It is 7 °C.\n')
    expect(messageText({ ...reply, partial: true })).toBe('It is 7 °C.\n')
  })

  test('a note is its text', () => {
    expect(messageText({ role: 'note', id: 'n', at: 1, kind: 'summary', text: 'So far.', toModel: true })).toBe(
      'So far.',
    )
  })

  test.each<[string, Partial<ToolResult>, string]>([
    ['text', { output: ' 7 °C\n' }, ' 7 °C\n'],
    ['data', { output: { celsius: 7, wind: [1, null] } }, '{"celsius":7,"wind":[1,null]}'],
    ['null', { output: null }, 'null'],
    ['zero', { output: 0 }, '0'],
    ['nothing', { output: '' }, '(no output)'],
    ['white space', { output: ' \n' }, '(no output)'],
    ['a silent failure', { outcome: 'timeout', output: '' }, '(timeout)'],
    ['a failure', { outcome: 'error', output: 'No such city.' }, 'No such city.'],
    [
      'an edited input',
      { output: 'done', ranWith: { path: 'b' } },
      'The input was changed before it ran, to {"path":"b"}.\ndone',
    ],
  ])('a result: %s', (_what, fields, text) => {
    expect(resultText(result(fields))).toBe(text)
  })

  test('a call without a result', () => {
    expect(UNANSWERED_CALL).toBe('Interrupted: the outcome of this call is unknown. Check before you repeat it.')
  })

  test('an output', () => {
    expect(outputText('as it is')).toBe('as it is')
    expect(outputText([1, 'two'])).toBe('[1,"two"]')
  })
})

describe('displayText', () => {
  const user: Message = {
    role: 'user',
    id: 'u',
    at: 1,
    parts: [
      { type: 'text', text: 'Look:' },
      { type: 'image', mediaType: 'image/png' },
      { type: 'file', mediaType: 'text/csv', path: 'a.csv', omitted: 'too large' },
      { type: 'session', sessionId: 's1', title: 'Plans' },
    ],
  }
  const summary: Message = { role: 'note', id: 'n', at: 1, kind: 'summary', text: 'Short.', toModel: true }

  test('speaks English by itself', () => {
    expect(displayText(user)).toBe('Look:\nImage: image/png\nFile: a.csv (left out: too large)\nSession: Plans')
    expect(displayText(reply)).toBe('It is 7 °C.\n')
    expect(displayText({ ...reply, parts: [{ type: 'text', text: 'It' }], partial: true })).toBe('It (cut off)')
    expect(displayText(summary)).toBe('Summary of the conversation so far\nShort.')
    expect(displayText({ ...summary, kind: 'background' })).toBe('Short.')
  })

  test('puts all its own words through the translator', () => {
    const german: Translate = (key, { name, reason }) =>
      `<${key}${name ? ` ${name}` : ''}${reason ? ` ${reason}` : ''}>`
    expect(displayText(user, german)).toBe(
      'Look:\n<image image/png>\n<file a.csv> (<omitted too large>)\n<session Plans>',
    )
    expect(displayText({ ...reply, partial: true }, german)).toBe('It is 7 °C.\n (<partial>)')
    expect(displayText(summary, german)).toBe('<summary>\nShort.')
  })
})
