import type {
  AttemptKey,
  LedgerAccount,
  LedgerClaim,
  OpenReservation,
  Reservation,
  Settlement,
  Spending,
  SpendingLeft,
  Spent,
} from '../../protocol/ledger.ts'
import {
  type Amounts,
  accountsOf,
  actualOf,
  amountsOf,
  attemptName,
  difference,
  leftOf,
  refusalOf,
  spentOf,
} from '../ledger.ts'
import type { Connection, Reading, Writing } from './connection.ts'
import { existingSession, findSession } from './rows.ts'
import { NOBODY } from './schema.ts'

export function reserve(
  connection: Connection,
  key: AttemptKey,
  estimate: Spending,
  claims: readonly LedgerClaim[],
): Promise<Reservation> {
  return connection.write(async (transaction) => {
    const { key: session } = await existingSession(transaction, key.sessionId)
    for (const { account } of claims) {
      if (account.sessionId !== undefined) await existingSession(transaction, account.sessionId)
    }
    const bookings = transaction.objectStore('bookings')
    const attempt = attemptName(key)
    if (!(await bookings.get([session, attempt]))) {
      const refusal = refusalOf(estimate, claims, await sumsOf(transaction, claims))
      if (refusal) return refusal
      await charge(transaction, claims, amountsOf(estimate))
      await bookings.add({ session, attempt, booking: { key, spending: estimate, claims }, openIn: session })
    }
    return { ok: true, left: await leftOfAll(transaction, claims) }
  })
}

export function settle(connection: Connection, key: AttemptKey, actual: Partial<Spending>): Promise<Settlement> {
  return connection.write(async (transaction) => {
    const session = await findSession(transaction, key.sessionId)
    const bookings = transaction.objectStore('bookings')
    const stored = session && (await bookings.get([session.key, attemptName(key)]))
    if (!stored) return { settled: false, left: [] }
    const { booking, openIn, ...place } = stored
    if (openIn !== undefined) {
      const spending = actualOf(booking.spending, actual)
      await charge(transaction, booking.claims, difference(amountsOf(booking.spending), amountsOf(spending)))
      await bookings.put({ ...place, booking: { ...booking, spending } })
    }
    return { settled: openIn !== undefined, left: await leftOfAll(transaction, booking.claims) }
  })
}

export function spent(connection: Connection, account: LedgerAccount): Promise<Spent> {
  return connection.read(async (transaction) => spentOf(await sumOf(transaction, account)))
}

export function openReservations(connection: Connection, sessionId: string): Promise<OpenReservation[]> {
  return connection.read(async (transaction) => {
    const session = await findSession(transaction, sessionId)
    const open = session ? await transaction.objectStore('bookings').index('openIn').getAll(session.key) : []
    return open.map(({ booking: { key, spending } }) => ({ key, estimate: spending }))
  })
}

/** Undefined for an account of a session that is not there. */
async function sessionOf(transaction: Reading, { sessionId }: LedgerAccount): Promise<number | undefined> {
  return sessionId === undefined ? NOBODY : (await findSession(transaction, sessionId))?.key
}

async function sumOf(transaction: Reading, account: LedgerAccount): Promise<Amounts> {
  const session = await sessionOf(transaction, account)
  const stored = session !== undefined && (await transaction.objectStore('accounts').get([session, account.name]))
  return stored ? stored.amounts : new Map()
}

function sumsOf(transaction: Reading, claims: readonly LedgerClaim[]): Promise<Amounts[]> {
  return Promise.all(claims.map(({ account }) => sumOf(transaction, account)))
}

async function charge(transaction: Writing, claims: readonly LedgerClaim[], change: Amounts): Promise<void> {
  for (const account of accountsOf(claims)) {
    const session = await sessionOf(transaction, account)
    if (session === undefined) continue
    const amounts = new Map(await sumOf(transaction, account))
    for (const [unit, amount] of change) amounts.set(unit, (amounts.get(unit) ?? 0) + amount)
    await transaction.objectStore('accounts').put({ session, name: account.name, amounts })
  }
}

async function leftOfAll(transaction: Reading, claims: readonly LedgerClaim[]): Promise<SpendingLeft[]> {
  const sums = await sumsOf(transaction, claims)
  return claims.map((claim, i) => leftOf(claim, sums[i] ?? new Map()))
}
