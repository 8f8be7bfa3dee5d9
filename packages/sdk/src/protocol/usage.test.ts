import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addUsage, NO_USAGE, totalTokens, type Usage, type UsageTotals } from './usage.ts'

const sumOf = (calls: readonly (Usage | UsageTotals)[]) => calls.reduce<UsageTotals>(addUsage, NO_USAGE)

const counter = fc.option(fc.nat({ max: 1_000_000 }), { nil: undefined })
const money = fc.record({ amount: fc.nat({ max: 1000 }), currency: fc.constant('USD') })
/** A call as providers report them: with holes. */
const call: fc.Arbitrary<Usage> = fc
  .record({
    inputTokens: counter,
    cacheReadTokens: counter,
    cacheWriteTokens: counter,
    outputTokens: counter,
    reasoningTokens: counter,
    totalTokens: counter,
    cost: fc.option(money, { nil: undefined }),
    estimated: fc.option(fc.constant(true as const), { nil: undefined }),
  })
  .map((fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)))

describe('addUsage over any calls', () => {
  const check = (property: (calls: Usage[]) => void) =>
    fc.assert(fc.property(fc.array(call, { maxLength: 6 }), property), { seed: 6, numRuns: 500 })

  test('counts every call and never gives NaN, null or undefined', () => {
    check((calls) => {
      const sum = sumOf(calls)
      expect(sum.requests).toBe(calls.length)
      expect(JSON.parse(JSON.stringify(sum))).toStrictEqual(sum)
    })
  })

  test('sums what is known of each counter, and leaves out what nobody reported', () => {
    check((calls) => {
      const sum = sumOf(calls)
      for (const name of [
        'inputTokens',
        'cacheReadTokens',
        'cacheWriteTokens',
        'outputTokens',
        'reasoningTokens',
      ] as const) {
        const known = calls.flatMap((usage) => usage[name] ?? [])
        expect(sum[name]).toBe(known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0))
      }
      const totals = calls.flatMap((usage) => totalTokens(usage) ?? [])
      expect(sum.totalTokens).toBe(totals.length === 0 ? undefined : totals.reduce((a, b) => a + b, 0))
    })
  })

  test('says so when some call did not report its share, in whatever order', () => {
    check((calls) => {
      const silent = calls.some((usage) => usage.inputTokens === undefined || usage.outputTokens === undefined)
      const priced = calls.filter((usage) => usage.cost).length
      const incomplete = silent || (priced > 0 && priced < calls.length)
      expect(sumOf(calls).incomplete ?? false).toBe(incomplete)
      expect(sumOf(calls.toReversed())).toEqual(sumOf(calls))
    })
  })

  test('a sum of sums is the sum of their calls', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 4 }), fc.array(call, { maxLength: 4 }), (first, second) => {
        expect(addUsage(sumOf(first), sumOf(second))).toEqual(sumOf([...first, ...second]))
      }),
      { seed: 7, numRuns: 500 },
    )
  })

  test('for calls that report everything the counters add up to the total', () => {
    const whole = fc.record({ inputTokens: fc.nat(1e6), cacheReadTokens: fc.nat(1e6), outputTokens: fc.nat(1e6) })
    fc.assert(
      fc.property(fc.array(whole, { minLength: 1, maxLength: 6 }), (calls) => {
        const { inputTokens = 0, cacheReadTokens = 0, outputTokens = 0, totalTokens: total } = sumOf(calls)
        expect(total).toBe(inputTokens + cacheReadTokens + outputTokens)
      }),
      { seed: 8, numRuns: 200 },
    )
  })
})

test('usage that is missing, partial or a bare total still sums', () => {
  const calls: Usage[] = [
    {},
    { inputTokens: 100 },
    { inputTokens: 7, outputTokens: 3, totalTokens: 10 },
    { totalTokens: 50 },
    {},
  ]
  expect(sumOf(calls)).toEqual({ requests: 5, inputTokens: 107, outputTokens: 3, totalTokens: 60, incomplete: true })
})

test('cached tokens are counted beside the input, reasoning inside the output', () => {
  expect(totalTokens({ inputTokens: 100, cacheReadTokens: 5000, outputTokens: 100, reasoningTokens: 40 })).toBe(5200)
  expect(totalTokens({ inputTokens: 100, cacheReadTokens: 5000, cacheWriteTokens: 1000, outputTokens: 100 })).toBe(6200)
  expect(totalTokens({ inputTokens: 10, outputTokens: 5, reasoningTokens: 8 })).toBe(15)
})

test('a total is unknown rather than too small', () => {
  expect(totalTokens({})).toBeUndefined()
  expect(totalTokens({ inputTokens: 5 })).toBeUndefined()
  expect(totalTokens({ totalTokens: 50 })).toBe(50)
  expect(totalTokens({ inputTokens: 0, outputTokens: 0 })).toBe(0)
})

test('money of another currency is not added, and the sum says that it is incomplete', () => {
  const reported = { inputTokens: 1, outputTokens: 1 }
  const sum = sumOf([
    { ...reported, cost: { amount: 2, currency: 'USD' } },
    { ...reported, cost: { amount: 5, currency: 'EUR' } },
    { ...reported, cost: { amount: 3, currency: 'USD' } },
  ])
  expect(sum).toMatchObject({ cost: { amount: 5, currency: 'USD' }, incomplete: true })
})

test('an estimate stays visible in the sum', () => {
  expect(
    sumOf([
      { inputTokens: 1, outputTokens: 1, estimated: true },
      { inputTokens: 1, outputTokens: 1 },
    ]),
  ).toMatchObject({
    estimated: true,
  })
})

test('adding nothing changes nothing', () => {
  const sum = sumOf([{ inputTokens: 1, outputTokens: 2, cost: { amount: 1, currency: 'USD' } }])
  expect(addUsage(sum, NO_USAGE)).toEqual(sum)
  expect(addUsage(NO_USAGE, sum)).toEqual(sum)
})
