import type { AttemptKey, Ledger, LedgerAccount, LedgerClaim } from '../protocol/ledger.ts'
import {
  type Amounts,
  accountsOf,
  actualOf,
  amountsOf,
  attemptName,
  type Booking,
  difference,
  leftOf,
  refusalOf,
  spentOf,
} from './ledger.ts'

interface Books {
  readonly accounts: Map<string, Amounts>
  readonly bookings: Map<string, { readonly booking: Booking; readonly isOpen: boolean }>
}

/** The ledger of sessions that `find` gives by their id, as `demand` does or throws: what is theirs goes with them. */
export function memoryLedger(
  find: (sessionId: string) => object | undefined,
  demand: (sessionId: string) => object,
  frozenCopy: <T>(value: T) => T,
): Ledger {
  const shared = emptyBooks()
  const ofSessions = new WeakMap<object, Books>()

  function booksOf(sessionId: string | undefined): Books | undefined {
    if (sessionId === undefined) return shared
    const session = find(sessionId)
    return session && booksOfSession(session)
  }

  function booksOfSession(session: object): Books {
    const books = ofSessions.get(session) ?? emptyBooks()
    ofSessions.set(session, books)
    return books
  }

  function existing(sessionId: string | undefined): Books {
    return sessionId === undefined ? shared : booksOfSession(demand(sessionId))
  }

  function sumOf({ sessionId, name }: LedgerAccount): Amounts {
    return booksOf(sessionId)?.accounts.get(name) ?? new Map()
  }

  function charge(claims: readonly LedgerClaim[], change: Amounts): void {
    for (const { sessionId, name } of accountsOf(claims)) {
      const accounts = booksOf(sessionId)?.accounts
      const sum = new Map(accounts?.get(name))
      for (const [unit, amount] of change) sum.set(unit, (sum.get(unit) ?? 0) + amount)
      accounts?.set(name, sum)
    }
  }

  const bookingOf = (key: AttemptKey) => booksOf(key.sessionId)?.bookings.get(attemptName(key))
  const leftOfAll = (claims: readonly LedgerClaim[]) => claims.map((claim) => leftOf(claim, sumOf(claim.account)))

  return {
    async reserve(key, estimate, claims) {
      const { bookings } = existing(key.sessionId)
      for (const { account } of claims) existing(account.sessionId)
      if (!bookingOf(key)) {
        const sums = claims.map(({ account }) => sumOf(account))
        const refusal = refusalOf(estimate, claims, sums)
        if (refusal) return refusal
        charge(claims, amountsOf(estimate))
        bookings.set(attemptName(key), { booking: frozenCopy({ key, spending: estimate, claims }), isOpen: true })
      }
      return { ok: true, left: leftOfAll(claims) }
    },

    async settle(key, actual) {
      const known = bookingOf(key)
      if (!known) return { settled: false, left: [] }
      const { booking, isOpen } = known
      if (isOpen) {
        const spending = frozenCopy(actualOf(booking.spending, actual))
        charge(booking.claims, difference(amountsOf(booking.spending), amountsOf(spending)))
        booksOf(key.sessionId)?.bookings.set(attemptName(key), { booking: { ...booking, spending }, isOpen: false })
      }
      return { settled: isOpen, left: leftOfAll(booking.claims) }
    },

    async spent(account) {
      return spentOf(sumOf(account))
    },

    async open(sessionId) {
      const bookings = [...(booksOf(sessionId)?.bookings.values() ?? [])]
      return bookings.flatMap(({ booking: { key, spending }, isOpen }) => (isOpen ? [{ key, estimate: spending }] : []))
    },
  }
}

function emptyBooks(): Books {
  return { accounts: new Map(), bookings: new Map() }
}
