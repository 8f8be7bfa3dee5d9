import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { Budget } from '../protocol/budget.ts'
import { toBillionths } from '../protocol/money.ts'
import type { ModelPricing } from '../protocol/pricing.ts'
import { totalTokens } from '../protocol/usage.ts'
import { memoryStore } from '../stores/memory.ts'
import { sqliteStore } from '../stores/sqlite/index.ts'
import type { SessionStore } from '../stores/store.ts'
import { budget, costOf, spentOf } from './index.ts'

const SESSIONS = 50
const PRICING: ModelPricing = { currency: 'USD', input: 3, output: 15 }
const folder = mkdtempSync(join(tmpdir(), 'stepwell-budget-'))
let files = 0

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a session is going to do: the estimates of its calls, what they really take, and when they come back. */
interface Plan {
  readonly calls: readonly { readonly estimated: number; readonly input: number; readonly output: number }[]
  /** It dies in this call, and never settles it. */
  readonly diesIn?: number
}

const plan: fc.Arbitrary<Plan> = fc
  .record({
    calls: fc.array(
      fc.record({
        estimated: fc.integer({ min: 1, max: 20_000 }),
        input: fc.nat({ max: 30_000 }),
        output: fc.nat({ max: 3_000 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    diesIn: fc.option(fc.nat({ max: 20 }), { nil: -1 }),
  })
  .map(({ calls, diesIn }) => (diesIn < 0 ? { calls } : { calls, diesIn }))

/** All sessions at once, on as many stores. Gives what was really spent, and by how much estimates fell short. */
async function spend(stores: readonly SessionStore[], limit: Budget, plans: readonly Plan[], s: fc.Scheduler) {
  const policy = budget([limit])
  const sum = { cost: 0, tokens: 0, short: 0, shortTokens: 0, refused: 0 }
  const session = async ({ calls, diesIn }: Plan, i: number) => {
    const sessionId = `s${i}`
    const { ledger } = stores[i % stores.length] as SessionStore
    for (const [turn, { estimated, input, output }] of calls.entries()) {
      const key = { sessionId, runId: 'r', turn: turn + 1, attempt: 1, purpose: 'reply' as const }
      const estimate = { inputTokens: estimated, outputTokens: 500 }
      const call = { key, at: 0, model: 'm', pricing: PRICING, inputTokens: estimated, maxOutputTokens: 500 }
      if (!(await policy.reserve(call, ledger)).ok) {
        sum.refused++
        return
      }
      await s.schedule(Promise.resolve())
      const usage = turn === diesIn ? estimate : { inputTokens: input, outputTokens: output }
      const cost = costOf(usage, PRICING) ?? { amount: Number.NaN, currency: 'USD' }
      const expected = costOf(estimate, PRICING) ?? { amount: Number.NaN, currency: 'USD' }
      sum.cost += toBillionths(cost)
      sum.tokens += totalTokens(usage) ?? Number.NaN
      sum.short += Math.max(0, toBillionths(cost) - toBillionths(expected))
      sum.shortTokens += Math.max(0, (totalTokens(usage) ?? 0) - (totalTokens(estimate) ?? 0))
      if (turn === diesIn) return
      await policy.settle(key, { ...usage, cost }, ledger)
    }
  }
  const all = Promise.all(plans.map(session))
  let done = false
  void all.finally(() => {
    done = true
  })
  while (!done) {
    if (s.count() > 0) await s.waitOne()
    else await new Promise((resolve) => setImmediate(resolve))
  }
  await all
  return sum
}

describe.each<[string, () => SessionStore[]]>([
  ['memory', () => [memoryStore()]],
  [
    'one SQLite file with two handles',
    () => {
      const path = join(folder, `${++files}.db`)
      return [sqliteStore(path), sqliteStore(path)]
    },
  ],
])('%s', (name, open) => {
  test.each<Budget>([
    { per: 'day', scope: 'tenant:acme', cost: { amount: 1.5, currency: 'USD' } },
    { per: 'month', tokens: 300_000 },
  ])(`${SESSIONS} sessions on one budget overspend by no more than their estimates fell short: %j`, async (limit) => {
    let refused = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(plan, { minLength: SESSIONS, maxLength: SESSIONS }),
        fc.scheduler(),
        async (plans, scheduler) => {
          const stores = open()
          const [store] = stores as [SessionStore]
          for (let i = 0; i < SESSIONS; i++) {
            await store.create({ id: `s${i}`, createdAt: 1 }, { type: 'session-created', seq: 1, at: 1, v: 1 })
          }
          const really = await spend(stores, limit, plans, scheduler)
          if (limit.cost) expect(really.cost).toBeLessThanOrEqual(toBillionths(limit.cost) + really.short)
          if (limit.tokens) expect(really.tokens).toBeLessThanOrEqual(limit.tokens + really.shortTokens)
          refused += really.refused
          const counted = await spentOf(limit, { at: 0 }, store.ledger)
          expect(counted.tokens, 'every call is counted, to the token').toBe(really.tokens)
          expect(counted.costs.map(toBillionths), 'and to the billionth').toEqual([really.cost])
          for (const one of stores) await one.close()
        },
      ),
      { seed: 50, numRuns: name === 'memory' ? 40 : 6 },
    )
    expect(refused).toBeGreaterThan(0)
  })
})
