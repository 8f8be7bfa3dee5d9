import type { Message } from '../../protocol/messages.ts'
import { parsed } from '../../protocol/parsed.ts'
import { REDUCER_VERSION } from '../../protocol/state.ts'
import type { Snapshot } from '../store.ts'
import type { Connection } from './connection.ts'
import { existingRow } from './rows.ts'

/**
 * Characters in a row of history. A long one is slow to read, for its memory is new each time; a short one has more to
 * it than its text.
 */
const ROW_CHARACTERS = 64_000

/**
 * The first row is the snapshot without its history, which follows. Writes only what is not there yet: of a history that
 * grew, the end.
 */
export function saveSnapshot(connection: Connection, id: string, { version, seq, state }: Snapshot): void {
  const first: Snapshot = { version, seq, state: { ...state, history: [] } }
  const rows = [JSON.stringify(first), ...historyRows(state.history)]
  connection.write(() => {
    const { key } = existingRow(connection, id)
    const stored = connection.sql(ROWS).pluck().get(id)
    const known = parsed(String(stored)) as Snapshot | undefined
    if (known?.version === version && known.seq > seq) return
    const put = connection.sql(PUT)
    for (const [part, json] of rows.entries()) put.run(key, part, json)
    connection.sql('DELETE FROM snapshots WHERE session = ? AND part >= ?').run(key, rows.length)
  })
}

/** A snapshot is a cache: one that cannot be read is none. */
export function findSnapshot(connection: Connection, id: string): Snapshot | undefined {
  let first: Snapshot | undefined
  const history: Message[] = []
  for (const json of connection.sql(ROWS).pluck().iterate(id)) {
    if (first === undefined) {
      first = parsed(String(json)) as Snapshot | undefined
      if (first?.version !== REDUCER_VERSION) return undefined
      continue
    }
    const messages = parsed(String(json)) as Message[] | undefined
    if (messages === undefined) return undefined
    for (const message of messages) history.push(message)
  }
  return first && { ...first, state: { ...first.state, history } }
}

const ROWS = 'SELECT json FROM snapshots WHERE session = (SELECT key FROM sessions WHERE id = ?) ORDER BY part'
const PUT = `
INSERT INTO snapshots (session, part, json) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET json = excluded.json WHERE json <> excluded.json`

/** Where a row ends depends on what is before it alone, so that rows stay the same as the history grows. */
function historyRows(history: readonly Message[]): string[] {
  const rows: string[] = []
  let messages: string[] = []
  let length = 0
  for (const [index, message] of history.entries()) {
    const json = JSON.stringify(message)
    messages.push(json)
    length += json.length
    if (length < ROW_CHARACTERS && index < history.length - 1) continue
    rows.push(`[${messages.join()}]`)
    messages = []
    length = 0
  }
  return rows
}
