import { createHash } from 'node:crypto'
import type { Command, Receipt } from '../../protocol/commands.ts'
import { commandContent } from '../command-content.ts'
import { commandConflict } from '../errors.ts'
import type { Connection } from './connection.ts'
import { existingRow } from './rows.ts'

export function post(connection: Connection, id: string, command: Command, now: number): Receipt | undefined {
  const content = createHash('sha256').update(commandContent(command)).digest()
  const json = JSON.stringify(command)
  return connection.write(() => {
    const { key } = existingRow(connection, id)
    const judged = connection
      .sql('SELECT json, content FROM receipts WHERE session = ? AND id = ?')
      .get(key, command.id)
    const waiting = connection
      .sql('SELECT NULL AS json, content FROM inbox WHERE session = ? AND id = ?')
      .get(key, command.id)
    const known = (judged ?? waiting) as { json: string | null; content: Buffer | null } | undefined
    if (known?.content && !known.content.equals(content)) throw commandConflict(id, command.id)
    if (known) return known.json === null ? undefined : (JSON.parse(known.json) as Receipt)
    const text = 'INSERT INTO inbox (session, id, json, content, arrived_at) VALUES (?, ?, ?, ?, ?)'
    connection.sql(text).run(key, command.id, json, content, now)
    return undefined
  })
}

/** A command that cannot be read any more is left out: the others must still be answered. */
export function waitingCommands(connection: Connection, id: string): Command[] {
  const text = 'SELECT json FROM inbox WHERE session = (SELECT key FROM sessions WHERE id = ?) ORDER BY arrival'
  const texts = connection.sql(text).pluck().all(id) as string[]
  return texts.flatMap((json) => {
    try {
      return [JSON.parse(json) as Command]
    } catch {
      return []
    }
  })
}

export function findReceipt(connection: Connection, id: string, commandId: string): Receipt | undefined {
  const text = 'SELECT json FROM receipts WHERE session = (SELECT key FROM sessions WHERE id = ?) AND id = ?'
  const json = connection.sql(text).pluck().get(id, commandId) as string | undefined
  return json === undefined ? undefined : (JSON.parse(json) as Receipt)
}

const STORE_RECEIPT = `
INSERT INTO receipts (session, id, json, content)
VALUES (:session, :id, :json, (SELECT content FROM inbox WHERE session = :session AND id = :id))
ON CONFLICT DO UPDATE SET json = excluded.json, content = coalesce(excluded.content, content)`

/** Part of an append's transaction. */
export function judge(connection: Connection, key: number, receipts: readonly Receipt[]): void {
  for (const receipt of receipts) {
    connection.sql(STORE_RECEIPT).run({ session: key, id: receipt.commandId, json: JSON.stringify(receipt) })
    connection.sql('DELETE FROM inbox WHERE session = ? AND id = ?').run(key, receipt.commandId)
  }
}
