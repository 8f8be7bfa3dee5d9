import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NINE_CHARACTER_IDS } from './mistral-ids.ts'
import { CALL_IDS, wireIds } from './wire-ids.ts'

const call = fc.record({
  callId: fc.string({ minLength: 1 }),
  providerCallId: fc.option(fc.string(), { nil: undefined }),
})
const asPart = ({ callId, providerCallId }: { callId: string; providerCallId: string | undefined }) =>
  providerCallId === undefined ? { callId } : { callId, providerCallId }

test.each([
  ['usual', CALL_IDS],
  ['nine characters', NINE_CHARACTER_IDS],
])('%s: legal, distinct for distinct calls, the same every time', (_, rule) => {
  fc.assert(
    fc.property(fc.uniqueArray(call, { selector: (each) => each.callId }), (calls) => {
      const idOf = wireIds(rule)
      const ids = calls.map((each) => idOf(asPart(each)))
      expect(new Set(ids).size).toBe(calls.length)
      for (const id of ids) expect(id).toMatch(rule.legal)
      expect(calls.map((each) => idOf(asPart(each)))).toEqual(ids)
      const again = wireIds(rule)
      expect(calls.map((each) => again(asPart(each)))).toEqual(ids)
    }),
    { seed: 2 },
  )
})

test("the provider's own id is kept where it is legal and new", () => {
  const idOf = wireIds(CALL_IDS)
  expect(idOf({ callId: 'call_1', providerCallId: 'toolu_1' })).toBe('toolu_1')
  expect(idOf({ callId: 'call_2', providerCallId: 'toolu_1' })).toBe('call_2')
  expect(idOf({ callId: 'call_3', providerCallId: `a|${'9'.repeat(300)}` })).toBe('call_3')
  expect(idOf({ callId: 'bad id' })).toMatch(/^call_[0-9a-z]{11}$/)
})

test('long ids that share their beginning stay apart', () => {
  const idOf = wireIds(CALL_IDS)
  const [a, b] = [`call_A+/=|fc_${'9'.repeat(300)}`, `call_A+/=|fc_${'8'.repeat(300)}`]
  expect(idOf({ callId: a, providerCallId: a })).not.toBe(idOf({ callId: b, providerCallId: b }))
})
