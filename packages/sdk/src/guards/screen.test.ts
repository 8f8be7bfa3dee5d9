import { describe, expect, test } from 'vitest'
import type { CompliancePolicy } from '../protocol/compliance.ts'
import type { UserPart } from '../protocol/messages.ts'
import { ReplyScreen, screenInput } from './screen.ts'
import { wordList } from './word-list.ts'

const context = { sessionId: 's', principal: 'ada' }
const mask = wordList({ words: ['xyzzy'], action: 'mask', mask: '#' })
const block = wordList({ words: ['xyzzy'], action: 'block' })

describe('screenInput', () => {
  const parts: readonly UserPart[] = [
    { type: 'text', text: 'Read xyzzy' },
    { type: 'image', mediaType: 'image/png', url: 'https://a.example/xyzzy.png' },
    { type: 'file', mediaType: 'text/plain', name: 'xyzzy.txt', path: '/tmp/xyzzy.txt', text: 'It says xyzzy.' },
    { type: 'session', sessionId: 'xyzzy', title: 'About xyzzy' },
  ]

  test('masks texts and names wherever they stand, and leaves paths, addresses and ids', async () => {
    expect(await screenInput(mask, parts, context)).toEqual({
      action: 'mask',
      reasons: [expect.any(String)],
      parts: [
        { type: 'text', text: 'Read #' },
        parts[1],
        { type: 'file', mediaType: 'text/plain', name: '#.txt', path: '/tmp/xyzzy.txt', text: 'It says #.' },
        { type: 'session', sessionId: 'xyzzy', title: 'About #' },
      ],
    })
  })

  test('one part is enough to block it all', async () => {
    const verdict = await screenInput(block, [{ type: 'text', text: 'Hello' }, ...parts.slice(3)], context)
    expect(verdict).toEqual({ action: 'block', reason: expect.any(String) })
  })

  test('waits for a policy that asks elsewhere, and tells it whose text it is', async () => {
    const seen: unknown[] = []
    const policy: CompliancePolicy = {
      ...mask,
      async input(text, asked) {
        seen.push(text, asked)
        return { action: 'allow' }
      },
    }
    expect(await screenInput(policy, [{ type: 'text', text: 'Hello' }], context)).toEqual({ action: 'allow' })
    expect(seen).toEqual(['Hello', context])
  })
})

describe('ReplyScreen', () => {
  test('parts are checked each by itself, also where they come in turns', () => {
    const screen = new ReplyScreen(mask, context)
    expect(screen.push({ part: 0, kind: 'reasoning', text: 'Say xyz' })).toBe('Say ')
    expect(screen.push({ part: 1, kind: 'text', text: 'zy, or xyz' })).toBe('zy, or ')
    expect(screen.push({ part: 0, kind: 'reasoning', text: 'zy?' })).toBe('#?')
    expect(screen.masked.size).toBe(1)
    expect(screen.push({ part: 2, kind: 'text', text: 'xyzzy' })).toBe('')
    expect(screen.end()).toEqual([
      { part: 1, kind: 'text', text: 'xyz' },
      { part: 2, kind: 'text', text: '#' },
    ])
    expect(screen.end()).toEqual([])
    expect([...screen.maskedParts]).toEqual([0, 2])
    expect(screen.blocked).toBeUndefined()
  })

  test('a block ends every part', () => {
    const screen = new ReplyScreen(block, context)
    screen.push({ part: 0, kind: 'text', text: 'Hello xyz' })
    expect(screen.push({ part: 1, kind: 'text', text: 'Say xyzzy now' })).toBe('Say ')
    expect(screen.blocked).toEqual(expect.any(String))
    expect(screen.masked.size).toBe(0)
    expect(screen.push({ part: 0, kind: 'text', text: ' and so on' })).toBe('')
    expect(screen.toolInput(3, '{"a":1}')).toBe('')
    expect(screen.end()).toEqual([])
  })

  test('a block may come with the last word', () => {
    const screen = new ReplyScreen(block, context)
    screen.push({ part: 0, kind: 'text', text: 'xyzzy' })
    expect(screen.end()).toEqual([])
    expect(screen.blocked).toEqual(expect.any(String))
  })

  test.each<[string, string]>([
    ['{"a": 1.50, "b": ["ok"]}', '{"a": 1.50, "b": ["ok"]}'],
    ['{"a":["see xyzzy"],"xyzzy":{"b":"xyzz"}}', '{"a":["see #"],"#":{"b":"xyzz"}}'],
    ['{"a":"\\u0078yzzy"}', '{"a":"#"}'],
    ['{"a": xyzzy', '{"a": #'],
    ['{"__proto__":"xyzzy"}', '{"__proto__":"#"}'],
    ['', ''],
    ['{"a\\"b":"\\\\\\"","c":{}, "d":[[]]}', '{"a\\"b":"\\\\\\"","c":{}, "d":[[]]}'],
  ])('the input %s of a call goes on as %s', (inputText, expected) => {
    const screen = new ReplyScreen(mask, context)
    expect(screen.toolInput(3, inputText)).toBe(expected)
    expect(screen.masked.size).toBe(inputText === expected ? 0 : 1)
  })

  test('a number is a text, too', () => {
    const screen = new ReplyScreen(wordList({ words: ['4111'], action: 'mask' }), context)
    expect(screen.toolInput(3, '{"card":4111,"other":41110}')).toBe('{"card":"•••","other":41110}')
  })

  test('a call with a blocked word keeps nothing of its input', () => {
    const screen = new ReplyScreen(block, context)
    expect(screen.toolInput(3, '{"a":"hello","b":"say xyzzy"}')).toBe('')
    expect(screen.blocked).toEqual(expect.any(String))
    const broken = new ReplyScreen(block, context)
    expect(broken.toolInput(3, '{"a":"hello xyzzy')).toBe('')
  })

  test('what stands under a key that comes again is read by nobody and does not go on', () => {
    const screen = new ReplyScreen(mask, context)
    expect(screen.toolInput(3, '{"a":"xyzzy","b":{"c":{"xyzzy":1},"c":2},"a":"ok"}')).toBe('{"a":"ok","b":{"c":2}}')
  })
})

describe('a policy whose answer is none lets nothing through', () => {
  const answers: readonly unknown[] = [
    undefined,
    null,
    {},
    { action: 'mask', reason: 'r' },
    { action: 'mask', text: 5, reason: 'r' },
    { action: 'mask', text: 'a' },
    { action: 'redact', text: 'a', reason: 'r' },
    { action: 'block', text: '' },
  ]
  test.each(answers)('%j', async (answer) => {
    const check = { push: () => answer, end: () => answer }
    const policy = { input: () => answer, output: () => check } as unknown as CompliancePolicy
    await expect(screenInput(policy, [{ type: 'text', text: 'Hello' }], context)).rejects.toThrow('answer')
    const screen = new ReplyScreen(policy, context)
    expect(() => screen.push({ part: 0, kind: 'text', text: 'Hello' })).toThrow('answer')
    expect(() => screen.toolInput(1, '{"a":"b"}')).toThrow('answer')
  })

  test('a check that answers later', () => {
    const later = async () => ({ action: 'allow', text: 'Hello' })
    const policy = { input: later, output: () => ({ push: later, end: later }) } as unknown as CompliancePolicy
    expect(() => new ReplyScreen(policy, context).push({ part: 0, kind: 'text', text: 'Hello' })).toThrow('answer')
  })
})
