import { describe, expect, test } from 'vitest'
import type { Budget, BudgetCall } from '../protocol/budget.ts'
import type { AttemptKey } from '../protocol/ledger.ts'
import { memoryStore } from '../stores/memory.ts'
import { budget, costOf, spentOf } from './index.ts'

const AT = Date.UTC(2026, 10, 30, 23, 59)
const HOUR = 3_600_000
const PRICING = { currency: 'USD', input: 1, output: 10 }
const usd = (amount: number) => ({ amount, currency: 'USD' })

/** Two sessions, and calls that are expected to take 1,000 tokens of input and 100 of output: 0.002 USD. */
async function world() {
  const store = memoryStore()
  for (const id of ['s', 'other']) {
    await store.create({ id, createdAt: 1 }, { type: 'session-created', seq: 1, at: 1, v: 1 })
  }
  let attempts = 0
  const call = (
    fields: Partial<Omit<BudgetCall, 'key'>> & { readonly key?: Partial<AttemptKey> } = {},
  ): BudgetCall => ({
    at: AT,
    model: 'a-model',
    pricing: PRICING,
    inputTokens: 1_000,
    maxOutputTokens: 100,
    ...fields,
    key: { sessionId: 's', runId: 'r', turn: 1, attempt: ++attempts, purpose: 'reply', ...fields.key },
  })
  return { ledger: store.ledger, call }
}

const breach = (name: string) => ({ ok: false, breach: name, error: { code: 'budget.exceeded', retryable: false } })

describe('a call that fits', () => {
  test('is charged its estimate, then what it took, and tells what is left', async () => {
    const { ledger, call } = await world()
    const budgets: Budget[] = [
      { per: 'session', cost: usd(1) },
      { per: 'day', scope: 'tenant:acme', tokens: 5_000, cost: usd(0.5) },
      { per: 'total', tokens: 1_000_000 },
    ]
    const policy = budget(budgets)
    const asked = call()
    expect(await policy.reserve(asked, ledger)).toEqual({ ok: true })
    for (const one of budgets) {
      const spent = await spentOf(one, { at: AT, sessionId: 's' }, ledger)
      expect(spent).toEqual({ tokens: 1_100, costs: [usd(0.002)], unpriced: 0 })
    }
    const usage = { inputTokens: 900, outputTokens: 300 }
    const priced = { ...usage, cost: costOf(usage, PRICING) ?? usd(0) }
    expect(await policy.settle(asked.key, priced, ledger)).toEqual({ tokens: 3_800, cost: usd(0.4961) })
    expect(await policy.settle(asked.key, priced, ledger), 'again').toEqual({ tokens: 3_800, cost: usd(0.4961) })
    expect((await spentOf({ per: 'total' }, { at: 0 }, ledger)).costs).toEqual([usd(0.0039)])
  })

  test('that failed counts with what it took, and a refused one with nothing', async () => {
    const { ledger, call } = await world()
    const policy = budget([{ per: 'session', tokens: 10_000, cost: usd(1) }])
    const [failed, refused] = [call(), call()]
    await policy.reserve(failed, ledger)
    await policy.settle(failed.key, { inputTokens: 1_000, outputTokens: 7, cost: usd(0.00107) }, ledger)
    await policy.reserve(refused, ledger)
    const left = await policy.settle(refused.key, { inputTokens: 0, outputTokens: 0, cost: usd(0) }, ledger)
    expect(left).toEqual({ tokens: 8_993, cost: usd(0.99893) })
  })

  test('whose usage stays unknown counts at its estimate', async () => {
    const { ledger, call } = await world()
    const policy = budget([{ per: 'session', tokens: 10_000, cost: usd(1) }])
    const asked = call()
    await policy.reserve(asked, ledger)
    expect(await policy.settle(asked.key, {}, ledger)).toEqual({ tokens: 8_900, cost: usd(0.998) })
  })

  test('is expected to have a moderate reply when the request sets no limit', async () => {
    const { ledger, call } = await world()
    const { maxOutputTokens: _, ...unlimited } = call()
    await budget([{ per: 'session', tokens: 10_000 }]).reserve(unlimited, ledger)
    expect((await spentOf({ per: 'session' }, { at: AT, sessionId: 's' }, ledger)).tokens).toBe(5_096)
  })

  test('leaves no trace when nothing counts it', async () => {
    const { ledger, call } = await world()
    const policy = budget([{ per: 'call', tokens: 5_000 }])
    const asked = call()
    expect(await policy.reserve(asked, ledger)).toEqual({ ok: true })
    expect(await ledger.open('s')).toEqual([])
    expect(await policy.settle(asked.key, { inputTokens: 1, outputTokens: 1 }, ledger)).toBeUndefined()
  })
})

describe('a call that does not fit', () => {
  test.each<[string, Budget, string, string]>([
    ['costs too much by itself', { per: 'call', cost: usd(0.001) }, 'call-cost', 'per call is 0.001 USD, and the'],
    ['is too large by itself', { per: 'call', tokens: 1_099 }, 'tokens', 'per call is 1099 tokens, and the'],
    [
      'costs more than is left',
      { per: 'session', cost: usd(0.003) },
      'cost',
      'of which 0.002 USD are spent or reserved',
    ],
    [
      'is larger than what is left',
      { per: 'run', tokens: 2_000 },
      'tokens',
      'of which 1100 tokens are spent or reserved',
    ],
    [
      'exceeds a tenant',
      { per: 'month', scope: 'tenant:acme', tokens: 1_500 },
      'tokens',
      'per month of tenant:acme is',
    ],
    ['exceeds everything', { per: 'total', tokens: 1_500 }, 'tokens', 'The budget in total is 1500 tokens'],
  ])('since it %s', async (_, limit, name, text) => {
    const { ledger, call } = await world()
    const policy = budget([limit])
    if (limit.per !== 'call') await policy.reserve(call(), ledger)
    const refused = await policy.reserve(call(), ledger)
    expect(refused).toMatchObject(breach(name))
    expect(refused).toMatchObject({
      error: {
        message: expect.stringContaining(text),
        details: { breach: name, budget: limit, estimate: { tokens: 1_100 } },
      },
    })
    expect((await ledger.open('s')).length, 'nothing is charged').toBe(limit.per === 'call' ? 0 : 1)
  })

  test('since its price is not known: it is never free', async () => {
    const { ledger, call } = await world()
    const { pricing: _, ...unpriced } = call()
    const policy = budget([{ per: 'session', cost: usd(1_000) }])
    const refused = await policy.reserve(unpriced, ledger)
    expect(refused).toMatchObject(breach('unknown-pricing'))
    expect(refused).toMatchObject({ error: { message: expect.stringContaining('a-model has no known price') } })
    const inEuro = call({ pricing: { ...PRICING, currency: 'EUR' } })
    expect(await policy.reserve(inEuro, ledger)).toMatchObject(breach('unknown-pricing'))
  })

  test('may be made once the limit is raised, by the agent or for the run', async () => {
    const { ledger, call } = await world()
    const tight = budget([{ per: 'session', tokens: 1_500 }])
    await tight.reserve(call(), ledger)
    const asked = call()
    expect(await tight.reserve(asked, ledger)).toMatchObject({ ok: false })
    const limits: Budget[] = [{ per: 'session', tokens: 2_200 }]
    expect(await tight.reserve({ ...asked, limits }, ledger)).toEqual({ ok: true })
    expect(await budget([{ per: 'session', tokens: 3_300 }]).reserve(call(), ledger)).toEqual({ ok: true })
    expect(await budget([{ per: 'session', tokens: 3_300 }]).reserve(call(), ledger)).toMatchObject({ ok: false })
  })

  test('is judged by the run’s own budgets beside the others', async () => {
    const { ledger, call } = await world()
    const policy = budget([{ per: 'session', tokens: 100_000 }])
    const limits: Budget[] = [{ per: 'run', tokens: 1_500 }]
    expect(await policy.reserve(call({ limits }), ledger)).toEqual({ ok: true })
    expect(await policy.reserve(call({ limits }), ledger)).toMatchObject(breach('tokens'))
    expect(await policy.reserve(call({ limits, key: { runId: 'next' } }), ledger)).toEqual({ ok: true })
  })
})

describe('calls of unknown price that are allowed', () => {
  test('are held within tokens, and leave the cost unknown rather than untouched', async () => {
    const { ledger, call } = await world()
    const policy = budget([{ per: 'session', cost: usd(1), tokens: 2_500, unknownPricing: 'allow' }])
    const { pricing: _, ...unpriced } = call()
    expect(await policy.reserve(unpriced, ledger)).toEqual({ ok: true })
    const left = await policy.settle(unpriced.key, { inputTokens: 1_000, outputTokens: 100 }, ledger)
    expect(left).toEqual({ tokens: 1_400 })
    const next = call()
    await policy.reserve(next, ledger)
    expect(await policy.settle(next.key, { inputTokens: 1_000, outputTokens: 100, cost: usd(0.002) }, ledger)).toEqual({
      tokens: 300,
    })
    expect(await policy.reserve(call(), ledger)).toMatchObject(breach('tokens'))
    const spent = await spentOf({ per: 'session' }, { at: AT, sessionId: 's' }, ledger)
    expect(spent).toEqual({ tokens: 2_200, costs: [usd(0.002)], unpriced: 1 })
  })
})

describe('what shares a budget', () => {
  const tight = { tokens: 1_500 }

  test.each<[Budget, { key?: Partial<AttemptKey>; at?: number }, boolean]>([
    [{ per: 'run', ...tight }, { key: { turn: 2 } }, true],
    [{ per: 'run', ...tight }, { key: { runId: 'next' } }, false],
    [{ per: 'session', ...tight }, { key: { runId: 'next' }, at: AT + 999 * HOUR }, true],
    [{ per: 'session', ...tight }, { key: { sessionId: 'other' } }, false],
    [{ per: 'hour', ...tight }, { key: { sessionId: 'other' }, at: AT - 59 * 60_000 }, true],
    [{ per: 'hour', ...tight }, { at: AT + 60_000 }, false],
    [{ per: 'day', ...tight }, { key: { sessionId: 'other' }, at: AT - 23 * HOUR }, true],
    [{ per: 'day', ...tight }, { at: AT + 60_000 }, false],
    [{ per: 'month', ...tight }, { key: { sessionId: 'other' }, at: AT - 29 * 24 * HOUR }, true],
    [{ per: 'month', ...tight }, { at: AT + 60_000 }, false],
    [{ per: 'total', ...tight }, { key: { sessionId: 'other' }, at: AT + 999 * 24 * HOUR }, true],
  ])('%j and a call with %j: %s', async (limit, later, shares) => {
    const { ledger, call } = await world()
    const policy = budget([limit])
    expect(await policy.reserve(call(), ledger)).toEqual({ ok: true })
    expect((await policy.reserve(call(later), ledger)).ok).toBe(!shares)
  })

  test('is the scope, which may follow from the call', async () => {
    const { ledger, call } = await world()
    const policy = budget(async ({ principal, tenant }) => [
      { per: 'day', scope: `user:${principal}`, tokens: 1_500 },
      { per: 'day', scope: `tenant:${tenant}`, tokens: 2_500 },
    ])
    const ask = (principal: string) => policy.reserve(call({ principal, tenant: 'acme' }), ledger)
    expect(await ask('ada')).toEqual({ ok: true })
    expect(await ask('ada')).toMatchObject({ error: { message: expect.stringContaining('user:ada') } })
    expect(await ask('bob')).toEqual({ ok: true })
    expect(await ask('eve')).toMatchObject({ error: { message: expect.stringContaining('tenant:acme') } })
  })
})

describe('a budget that makes no sense', () => {
  const wrong: [string, unknown][] = [
    ['without a limit', { per: 'day' }],
    ['of a negative amount', { per: 'day', cost: usd(-1) }],
    ['of more than can be counted', { per: 'day', cost: usd(Number.MAX_VALUE) }],
    ['of NaN tokens', { per: 'day', tokens: Number.NaN }],
    ['without a currency', { per: 'day', cost: { amount: 1 } }],
    ['in "dollars"', { per: 'day', cost: { amount: 1, currency: 'dollars' } }],
    ['per fortnight', { per: 'fortnight', tokens: 1 }],
    ['that shrugs at unknown prices', { per: 'day', tokens: 1, unknownPricing: 'ignore' }],
  ]

  test.each(wrong)('%s is refused when it is given', async (_, one) => {
    const { ledger, call } = await world()
    expect(() => budget([one as Budget])).toThrow(expect.objectContaining({ code: 'config.invalid' }))
    const given = budget(() => [one as Budget]).reserve(call(), ledger)
    await expect(given).rejects.toMatchObject({ code: 'config.invalid' })
    const own = budget([]).reserve(call({ limits: [one as Budget] }), ledger)
    await expect(own).rejects.toMatchObject({ code: 'config.invalid' })
  })

  test('zero is a limit', async () => {
    const { ledger, call } = await world()
    expect(await budget([{ per: 'day', tokens: 0 }]).reserve(call(), ledger)).toMatchObject(breach('tokens'))
  })
})

test('a sum is not to be had of calls, nor without the session or run it belongs to', async () => {
  const { ledger } = await world()
  for (const per of ['call', 'session', 'run'] as const)
    await expect(spentOf({ per }, { at: AT }, ledger)).rejects.toMatchObject({ code: 'config.invalid' })
  const ofRun = await spentOf({ per: 'run' }, { at: AT, sessionId: 's', runId: 'r' }, ledger)
  expect(ofRun).toEqual({ tokens: 0, costs: [], unpriced: 0 })
})

test('a ledger that fails makes the call fail, and not pass', async () => {
  const store = memoryStore()
  await store.close()
  const { call } = await world()
  const policy = budget([{ per: 'day', tokens: 10_000 }])
  await expect(policy.reserve(call(), store.ledger)).rejects.toMatchObject({ code: 'store.unavailable' })
  await expect(policy.settle(call().key, {}, store.ledger)).rejects.toMatchObject({ code: 'store.unavailable' })
})
