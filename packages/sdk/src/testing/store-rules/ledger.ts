import type { AttemptKey, LedgerAccount, LedgerClaim, Spending, SpendingLimit } from '../../protocol/ledger.ts'
import type { Money } from '../../protocol/usage.ts'
import { expectCode, expectSame } from '../conformance.ts'
import { create, type StoreRule } from './world.ts'

const SHARED: LedgerAccount = { name: 'day 2026-11-30 tenant:acme' }
const OF_S: LedgerAccount = { name: 'session', sessionId: 's' }

function attempt(number: number, sessionId = 's'): AttemptKey {
  return { sessionId, runId: 'r', turn: 1, attempt: number, purpose: 'reply' }
}

function usd(amount: number): Money {
  return { amount, currency: 'USD' }
}

function claim(account: LedgerAccount, limit: SpendingLimit): LedgerClaim {
  return { account, limit }
}

const WIDE = [claim(SHARED, { tokens: 1e9 }), claim(OF_S, { cost: usd(1e6) })]

export const ledgerRules: readonly StoreRule[] = [
  [
    'a reservation counts at its estimate until it is settled',
    async ({ store }) => {
      await create(store, 's')
      const { ledger } = store
      const claims = [claim(SHARED, { tokens: 100 }), claim(OF_S, { cost: usd(1), tokens: 1_000 })]
      const reserved = await ledger.reserve(attempt(1), { tokens: 60, cost: usd(0.25) }, claims)
      expectSame(reserved, { ok: true, left: [{ tokens: 40 }, { cost: usd(0.75), tokens: 940 }] }, 'what is left')
      const held = { tokens: 60, costs: [usd(0.25)], unpriced: 0 }
      expectSame([await ledger.spent(SHARED), await ledger.spent(OF_S)], [held, held], 'both accounts at the estimate')
      const settled = await ledger.settle(attempt(1), { tokens: 80, cost: usd(0.1) })
      expectSame(
        settled,
        { settled: true, left: [{ tokens: 20 }, { cost: usd(0.9), tokens: 920 }] },
        'what is left now',
      )
      const spent = { tokens: 80, costs: [usd(0.1)], unpriced: 0 }
      expectSame([await ledger.spent(SHARED), await ledger.spent(OF_S)], [spent, spent], 'both at what was spent')
      expectSame(await ledger.spent({ name: 'new' }), { tokens: 0, costs: [], unpriced: 0 }, 'another one is empty')
    },
  ],
  [
    'what does not fit into one account is charged to none',
    async ({ store }) => {
      await create(store, 's')
      const { ledger } = store
      const claims = [claim(SHARED, { tokens: 1_000 }), claim(OF_S, { cost: usd(1), tokens: 100 })]
      await ledger.reserve(attempt(1), { tokens: 60, cost: usd(0.6) }, claims)
      const before = { tokens: 60, costs: [usd(0.6)], unpriced: 0 }
      expectSame(
        await ledger.reserve(attempt(2), { tokens: 1, cost: usd(0.400000001) }, claims),
        { ok: false, breach: 'cost', claim: 1, spent: before },
        'a billionth too much',
      )
      expectSame(
        await ledger.reserve(attempt(2), { tokens: 41, cost: usd(0.1) }, claims),
        { ok: false, breach: 'tokens', claim: 1, spent: before },
        'a token too much',
      )
      expectSame(await ledger.spent(SHARED), before, 'the first account is as it was')
      expectSame((await ledger.open('s')).length, 1, 'and nothing is reserved')
      const fits = await ledger.reserve(attempt(2), { tokens: 40, cost: usd(0.4) }, claims)
      expectSame(fits, { ok: true, left: [{ tokens: 900 }, { tokens: 0, cost: usd(0) }] }, 'exactly what is left fits')
    },
  ],
  [
    'a refused call may be made once its limit is raised',
    async ({ store }) => {
      await create(store, 's')
      const { ledger } = store
      await ledger.reserve(attempt(1), { tokens: 90 }, [claim(OF_S, { tokens: 100 })])
      const again = (tokens: number) => ledger.reserve(attempt(2), { tokens: 90 }, [claim(OF_S, { tokens })])
      expectSame((await again(100)).ok, false, 'at the old limit')
      expectSame(await again(200), { ok: true, left: [{ tokens: 20 }] }, 'at the new one')
      expectSame(
        await ledger.reserve(attempt(3), { tokens: 1 }, [claim(OF_S, { tokens: 50 })]),
        { ok: false, breach: 'tokens', claim: 0, spent: { tokens: 180, costs: [], unpriced: 2 } },
        'a lowered limit is one that is used up',
      )
    },
  ],
  [
    'the same key twice changes nothing, and a settlement says whether it was one',
    async ({ store }) => {
      await create(store, 's')
      const { ledger } = store
      const first = await ledger.reserve(attempt(1), { tokens: 10, cost: usd(1) }, WIDE)
      expectSame(await ledger.reserve(attempt(1), { tokens: 99, cost: usd(9) }, WIDE), first, 'reserved again')
      const settled = await ledger.settle(attempt(1), { tokens: 7, cost: usd(2) })
      const again = await ledger.settle(attempt(1), { tokens: 99, cost: usd(9) })
      expectSame(again, { ...settled, settled: false }, 'settled again')
      expectSame((await ledger.reserve(attempt(1), { tokens: 10 }, WIDE)).ok, true, 'reserved when settled')
      expectSame(await ledger.spent(SHARED), { tokens: 7, costs: [usd(2)], unpriced: 0 }, 'it counts once')
      const unknown = { settled: false, left: [] }
      expectSame(await ledger.settle(attempt(2), { tokens: 5 }), unknown, 'an unknown attempt')
      expectSame(await ledger.settle(attempt(1, 'nowhere'), { tokens: 5 }), unknown, 'an unknown session')
    },
  ],
  [
    'attempts are told apart by session, run, turn, attempt and purpose',
    async ({ store }) => {
      await create(store, 's')
      await create(store, 'other')
      const { ledger } = store
      const keys: AttemptKey[] = [
        attempt(1),
        attempt(2),
        { ...attempt(1), sessionId: 'other' },
        { ...attempt(1), runId: 'r/1' },
        { ...attempt(1), turn: 2 },
        { ...attempt(1), purpose: 'compaction' },
      ]
      for (const key of keys) await ledger.reserve(key, { tokens: 1 }, [claim(SHARED, {})])
      expectSame((await ledger.spent(SHARED)).tokens, keys.length, 'each counts')
      expectSame((await ledger.open('s')).length, 5, 'those of one session')
      expectSame(await ledger.open('other'), [{ key: keys[2], estimate: { tokens: 1 } }], 'those of the other')
    },
  ],
  [
    'an account that is claimed twice is charged once',
    async ({ store }) => {
      await create(store, 's')
      const claims = [claim(SHARED, { tokens: 100 }), claim({ ...SHARED }, { cost: usd(1) })]
      const estimate: Spending = { tokens: 10, cost: usd(0.5) }
      const { ledger } = store
      expectSame(
        await ledger.reserve(attempt(1), estimate, claims),
        { ok: true, left: [{ tokens: 90 }, { cost: usd(0.5) }] },
        'both limits are looked at',
      )
      await ledger.settle(attempt(1), { tokens: 20, cost: usd(0.25) })
      expectSame(await ledger.spent(SHARED), { tokens: 20, costs: [usd(0.25)], unpriced: 0 }, 'it counts once')
    },
  ],
  [
    'what a settlement does not say stands at the estimate, and no tokens cost nothing',
    async ({ store }) => {
      await create(store, 's')
      const { ledger } = store
      const estimate = { tokens: 10, cost: usd(0.5) }
      for (const number of [1, 2, 3, 4]) await ledger.reserve(attempt(number), estimate, WIDE)
      await ledger.settle(attempt(1), {})
      await ledger.settle(attempt(2), { tokens: 30 })
      await ledger.settle(attempt(3), { cost: usd(0.125) })
      await ledger.settle(attempt(4), { tokens: 0 })
      const sum = { tokens: 10 + 30 + 10, costs: [usd(0.5 + 0.5 + 0.125)], unpriced: 0 }
      expectSame(await ledger.spent(SHARED), sum, 'the sum of the four')
      expectSame(await ledger.open('s'), [], 'none is open')
    },
  ],
  [
    'an unknown cost is counted as unknown until it is known, never as nothing',
    async ({ store }) => {
      await create(store, 's')
      const { ledger } = store
      const claims = [claim(SHARED, { cost: usd(1) })]
      const left = async (number: number, estimate: Spending) => {
        const answer = await ledger.reserve(attempt(number), estimate, claims)
        return answer.ok ? answer.left : answer
      }
      expectSame(await left(1, { tokens: 10 }), [{}], 'what is left is unknown too')
      expectSame(await ledger.spent(SHARED), { tokens: 10, costs: [], unpriced: 1 }, 'an unpriced call')
      await ledger.settle(attempt(1), { tokens: 10, cost: usd(0.25) })
      expectSame(await left(2, { tokens: 10, cost: usd(0.25) }), [{ cost: usd(0.5) }], 'once it is told')
      expectSame(await left(3, { tokens: 1, cost: { amount: 5, currency: 'EUR' } }), [{}], 'another currency')
      const costs = [{ amount: 5, currency: 'EUR' }, usd(0.5)]
      expectSame(await ledger.spent(SHARED), { tokens: 21, costs, unpriced: 0 }, 'currencies are kept apart')
      await ledger.settle(attempt(3), { tokens: 0 })
      expectSame((await ledger.spent(SHARED)).costs, [usd(0.5)], 'and leave nothing behind')
    },
  ],
  [
    'money adds up exactly',
    async ({ store }) => {
      await create(store, 's')
      const { ledger } = store
      const claims = [claim(SHARED, { cost: usd(1) })]
      for (let number = 1; number <= 300; number++) {
        await ledger.reserve(attempt(number), { tokens: 1, cost: usd(0.003) }, claims)
        await ledger.settle(attempt(number), { tokens: 1, cost: usd(0.001 + number / 1e9) })
      }
      const spent = usd((300_000_000 + (300 * 301) / 2) / 1e9)
      expectSame((await ledger.spent(SHARED)).costs, [spent], 'to the billionth')
      await ledger.reserve(attempt(301), { tokens: 1, cost: usd(0.1) }, [claim(OF_S, {})])
      await ledger.reserve(attempt(302), { tokens: 1, cost: usd(0.2) }, [claim(OF_S, {})])
      expectSame((await ledger.spent(OF_S)).costs, [usd(0.3)], 'also what binary fractions cannot say')
    },
  ],
  [
    'of reservations made at once only those get room that fit together',
    async ({ store }) => {
      const claims = [claim(SHARED, { tokens: 205, cost: usd(100) })]
      const sessions = Array.from({ length: 50 }, (_, i) => `s${i}`)
      for (const id of sessions) await create(store, id)
      const reserve = (id: string) => store.ledger.reserve(attempt(1, id), { tokens: 10, cost: usd(1) }, claims)
      const answers = await Promise.all(sessions.map(reserve))
      expectSame(answers.filter(({ ok }) => ok).length, 20, 'twenty of fifty')
      expectSame((await store.ledger.spent(SHARED)).tokens, 200, 'and so much is reserved')
      const settle = (id: string) => store.ledger.settle(attempt(1, id), { tokens: 7, cost: usd(0.5) })
      await Promise.all([...sessions, ...sessions].map(settle))
      expectSame(await store.ledger.spent(SHARED), { tokens: 140, costs: [usd(10)], unpriced: 0 }, 'each settled once')
    },
  ],
  [
    'what is open can be found and settled at its estimate',
    async ({ store }) => {
      await create(store, 's')
      const { ledger } = store
      await ledger.reserve(attempt(1), { tokens: 10, cost: usd(1) }, WIDE)
      await ledger.reserve(attempt(2), { tokens: 20 }, WIDE)
      await ledger.settle(attempt(1), { tokens: 5 })
      expectSame(await ledger.open('s'), [{ key: attempt(2), estimate: { tokens: 20 } }], 'the one that is open')
      for (const { key } of await ledger.open('s')) await ledger.settle(key, {})
      expectSame(await ledger.open('s'), [], 'then none is')
      expectSame((await ledger.spent(SHARED)).tokens, 25, 'and it goes on counting')
      expectSame(await ledger.open('unknown'), [], 'an unknown session has none')
    },
  ],
  [
    'a deleted session takes its own accounts with it, not those it was charged to',
    async ({ store }) => {
      await create(store, 's')
      await create(store, 'child')
      const { ledger } = store
      await ledger.reserve(attempt(1), { tokens: 10, cost: usd(1) }, WIDE)
      await ledger.reserve(attempt(1, 'child'), { tokens: 5, cost: usd(1) }, WIDE)
      expectSame((await ledger.spent(OF_S)).tokens, 15, "a call may be charged to another session's account")
      await store.delete('s')
      const nothing = { tokens: 0, costs: [], unpriced: 0 }
      expectSame(await ledger.spent(OF_S), nothing, 'its account is gone')
      expectSame(await ledger.open('s'), [], 'with its reservations')
      expectSame((await ledger.settle(attempt(1, 'child'), { tokens: 6 })).settled, true, 'the other one is settled')
      expectSame((await ledger.spent(SHARED)).tokens, 16, 'the shared account stays')
      await create(store, 's')
      expectSame(await ledger.spent(OF_S), nothing, 'created anew it starts empty')
      expectSame((await ledger.reserve(attempt(1), { tokens: 1 }, WIDE)).ok, true, 'and so do its attempts')
      expectSame((await ledger.spent(SHARED)).tokens, 17, 'which count')
    },
  ],
  [
    'a reservation for or in a session that is not there is refused and charges nothing',
    async ({ store }) => {
      await create(store, 's')
      const { ledger } = store
      const unknown = () => ledger.reserve(attempt(1, 'unknown'), { tokens: 1 }, [claim(SHARED, {})])
      await expectCode(unknown, 'session.not-found', 'of an unknown session')
      const elsewhere = claim({ name: 'session', sessionId: 'unknown' }, {})
      const other = () => ledger.reserve(attempt(1), { tokens: 1 }, [claim(SHARED, {}), elsewhere])
      await expectCode(other, 'session.not-found', 'in an account of an unknown session')
      expectSame((await ledger.spent(SHARED)).tokens, 0, 'nothing was charged')
      expectSame(await ledger.open('s'), [], 'or reserved')
    },
  ],
  [
    'accounts may have any name',
    async ({ store }) => {
      await create(store, 's')
      const { ledger } = store
      const names = ['', '__proto__', 'constructor', 'it\'s "quoted"; --', 'Ünïcode 🎉', 'a', 'A', 'x'.repeat(2_000)]
      for (const [i, name] of names.entries())
        await ledger.reserve(attempt(i + 1), { tokens: i + 1 }, [
          claim({ name }, {}),
          claim({ name, sessionId: 's' }, {}),
        ])
      for (const [i, name] of names.entries()) {
        const both = [await ledger.spent({ name }), await ledger.spent({ name, sessionId: 's' })]
        expectSame(
          both.map(({ tokens }) => tokens),
          [i + 1, i + 1],
          `the account ${name.slice(0, 20)}`,
        )
      }
    },
  ],
  [
    'the ledger of a closed store answers with store.unavailable',
    async ({ store }) => {
      await create(store, 's')
      await store.close()
      const { ledger } = store
      await expectCode(() => ledger.reserve(attempt(1), { tokens: 1 }, WIDE), 'store.unavailable', 'reserve')
      await expectCode(() => ledger.settle(attempt(1), {}), 'store.unavailable', 'settle')
      await expectCode(() => ledger.spent(SHARED), 'store.unavailable', 'spent')
      await expectCode(() => ledger.open('s'), 'store.unavailable', 'open')
    },
  ],
]

/** For storage that outlives its handle. */
export const reopenLedgerRules: readonly StoreRule[] = [
  [
    'what was spent survives its handle, and two handles share one limit',
    async ({ store, clock, options }) => {
      if (!options.reopen) return
      await create(store, 's')
      const claims = [claim(SHARED, { tokens: 100 }), claim(OF_S, {})]
      const second = await options.reopen(store, { now: () => clock.time })
      const numbers = Array.from({ length: 20 }, (_, i) => i + 1)
      const answers = await Promise.all(
        numbers.map((n) => (n % 2 ? store : second).ledger.reserve(attempt(n), { tokens: 10 }, claims)),
      )
      expectSame(answers.filter(({ ok }) => ok).length, 10, 'ten of twenty fit, whoever asks')
      await second.close()
      await store.close()
      const third = await options.reopen(store, { now: () => clock.time })
      expectSame((await third.ledger.spent(SHARED)).tokens, 100, 'the estimates still count')
      const open = await third.ledger.open('s')
      expectSame(open.length, 10, 'the reservations are still open')
      for (const { key } of open) await third.ledger.settle(key, { tokens: 1 })
      expectSame((await third.ledger.spent(OF_S)).tokens, 10, 'and can be settled')
      await third.close()
    },
  ],
]
