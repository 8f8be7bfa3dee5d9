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
  type Booking,
  difference,
  leftOf,
  refusalOf,
  spentOf,
} from '../ledger.ts'
import type { Connection } from './connection.ts'
import { existingRow, findRow } from './rows.ts'

/** Stands for the session of an account that is nobody's: keys of sessions start at 1. */
const NOBODY = 0

export function reserve(
  connection: Connection,
  key: AttemptKey,
  estimate: Spending,
  claims: readonly LedgerClaim[],
): Reservation {
  return connection.write(() => {
    const session = existingRow(connection, key.sessionId).key
    for (const { account } of claims) if (account.sessionId !== undefined) existingRow(connection, account.sessionId)
    if (!findBooking(connection, key)) {
      const sums = claims.map(({ account }) => sumOf(connection, account))
      const refusal = refusalOf(estimate, claims, sums)
      if (refusal) return refusal
      charge(connection, claims, amountsOf(estimate))
      const booking: Booking = { key, spending: estimate, claims }
      connection
        .sql('INSERT INTO ledger_bookings (session, attempt, json, is_open) VALUES (?, ?, ?, 1)')
        .run(session, attemptName(key), JSON.stringify(booking))
    }
    return { ok: true, left: leftOfAll(connection, claims) }
  })
}

export function settle(connection: Connection, key: AttemptKey, actual: Partial<Spending>): Settlement {
  return connection.write(() => {
    const known = findBooking(connection, key)
    if (!known) return { settled: false, left: [] }
    const { booking, isOpen, session } = known
    if (isOpen) {
      const spending = actualOf(booking.spending, actual)
      charge(connection, booking.claims, difference(amountsOf(booking.spending), amountsOf(spending)))
      connection
        .sql('UPDATE ledger_bookings SET json = ?, is_open = 0 WHERE session = ? AND attempt = ?')
        .run(JSON.stringify({ ...booking, spending }), session, attemptName(key))
    }
    return { settled: isOpen, left: leftOfAll(connection, booking.claims) }
  })
}

export function spent(connection: Connection, account: LedgerAccount): Spent {
  return spentOf(sumOf(connection, account))
}

/** One that cannot be read any more is left out: it goes on counting, and must not keep its session from recovering. */
export function openReservations(connection: Connection, sessionId: string): OpenReservation[] {
  const text =
    'SELECT json FROM ledger_bookings WHERE session = (SELECT key FROM sessions WHERE id = ?) AND is_open = 1'
  const texts = connection.sql(text).pluck().all(sessionId) as string[]
  return texts.flatMap((json) => {
    try {
      const { key, spending } = JSON.parse(json) as Booking
      return [{ key, estimate: spending }]
    } catch {
      return []
    }
  })
}

function findBooking(
  connection: Connection,
  key: AttemptKey,
): { readonly booking: Booking; readonly isOpen: boolean; readonly session: number } | undefined {
  const text =
    'SELECT session, json, is_open FROM ledger_bookings WHERE session = (SELECT key FROM sessions WHERE id = ?) AND attempt = ?'
  const row = connection.sql(text).get(key.sessionId, attemptName(key)) as
    | { session: number; json: string; is_open: number }
    | undefined
  return row && { booking: JSON.parse(row.json) as Booking, isOpen: row.is_open === 1, session: row.session }
}

/** Undefined for an account of a session that is not there. */
function sessionOf(connection: Connection, { sessionId }: LedgerAccount): number | undefined {
  return sessionId === undefined ? NOBODY : findRow(connection, sessionId)?.key
}

function sumOf(connection: Connection, account: LedgerAccount): Amounts {
  const session = sessionOf(connection, account)
  if (session === undefined) return new Map()
  const text = 'SELECT unit, amount FROM ledger_accounts WHERE session = ? AND name = ?'
  return new Map(connection.sql(text).raw().all(session, account.name) as [string, number][])
}

function charge(connection: Connection, claims: readonly LedgerClaim[], change: Amounts): void {
  for (const account of accountsOf(claims)) {
    const session = sessionOf(connection, account)
    if (session === undefined) continue
    for (const [unit, amount] of change) connection.sql(CHARGE).run(session, account.name, unit, amount)
  }
}

const CHARGE = `
INSERT INTO ledger_accounts (session, name, unit, amount) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET amount = amount + excluded.amount`

function leftOfAll(connection: Connection, claims: readonly LedgerClaim[]): SpendingLeft[] {
  return claims.map((claim) => leftOf(claim, sumOf(connection, claim.account)))
}
