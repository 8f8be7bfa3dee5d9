import { expect, test } from 'vitest'
import { isDelta } from '../protocol/events.ts'
import type { ModelEvent } from '../providers/provider.ts'
import { createReply } from './reply.ts'

/** What one read after the other shows: of each delta its part, offset and text, and a name where it brings one. */
function shown(...reads: ModelEvent[][]): unknown[][] {
  let calls = 0
  const reply = createReply('run_1', () => `call_${++calls}`)
  return reads.map((read) =>
    reply
      .take(read, () => {})
      .map((draft) => {
        const { type, part, from, text } = draft
        expect(isDelta(draft)).toBe(true)
        return [type, part, from, text, ...('toolName' in draft ? [draft.toolName] : [])]
      }),
  )
}

const text = (part: number, said: string): ModelEvent => ({ type: 'text', part, text: said })
const input = (part: number, said: string): ModelEvent => ({ type: 'tool-input', part, text: said })

test('what one read brings of a part is one delta', () => {
  const reads = [[text(0, 'The'), text(0, ' depth'), text(0, ' of')], [text(0, ' it.')]]
  expect(shown(...reads)).toEqual([[['text-delta', 0, 0, 'The depth of']], [['text-delta', 0, 12, ' it.']]])
})

test('another part or another type begins another delta', () => {
  const thought: ModelEvent = { type: 'reasoning', part: 0, text: 'Hm' }
  const read = [thought, thought, text(1, 'a'), text(1, 'b'), text(2, 'c'), text(1, 'd')]
  expect(shown(read)).toEqual([
    [
      ['reasoning-delta', 0, 0, 'HmHm'],
      ['text-delta', 1, 0, 'ab'],
      ['text-delta', 2, 0, 'c'],
      ['text-delta', 1, 2, 'd'],
    ],
  ])
})

test('half a surrogate pair waits for the other half, in this read or the next one', () => {
  const [high, low] = ['\ud83d', '\ude00']
  expect(shown([text(0, `a${high}`), text(0, `${low}b${high}`)], [text(0, low)])).toEqual([
    [['text-delta', 0, 0, 'a\u{1f600}b']],
    [['text-delta', 0, 4, '\u{1f600}']],
  ])
})

test('the input of a call grows in one delta; a name that comes late has one of its own', () => {
  const named: ModelEvent = { type: 'tool-input', part: 0, text: '', name: 'save' }
  expect(shown([input(0, '{"a"'), input(0, ':'), named, input(0, '1}'), input(1, '{}')])).toEqual([
    [
      ['tool-input-delta', 0, 0, '{"a":'],
      ['tool-input-delta', 0, 5, '1}', 'save'],
      ['tool-input-delta', 1, 0, '{}'],
    ],
  ])
})
