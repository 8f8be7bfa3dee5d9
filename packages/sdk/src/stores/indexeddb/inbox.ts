import type { Command, Receipt } from '../../protocol/commands.ts'
import { commandContent } from '../command-content.ts'
import { commandConflict } from '../errors.ts'
import { sha256Of } from '../sha256.ts'
import type { Connection, Writing } from './connection.ts'
import { existingSession, findSession } from './rows.ts'

export async function post(
  connection: Connection,
  id: string,
  command: Command,
  now: number,
): Promise<Receipt | undefined> {
  const json = JSON.stringify(command)
  const content = await sha256Of(new TextEncoder().encode(commandContent(command)))
  return connection.write(async (transaction) => {
    const { key } = await existingSession(transaction, id)
    const inbox = transaction.objectStore('inbox')
    const [judged, waiting] = await Promise.all([
      transaction.objectStore('receipts').get([key, command.id]),
      inbox.index('command').get([key, command.id]),
    ])
    const known = (judged ?? waiting)?.content
    if (known !== undefined && known !== content) throw commandConflict(id, command.id)
    if (judged) return JSON.parse(judged.json) as Receipt
    if (!waiting) await inbox.add({ session: key, id: command.id, json, content, arrivedAt: now })
    return undefined
  })
}

/** A command that cannot be read any more is left out: the others must still be answered. */
export async function waitingCommands(connection: Connection, id: string): Promise<Command[]> {
  const waiting = await connection.read(async (transaction) => {
    const session = await findSession(transaction, id)
    return session ? transaction.objectStore('inbox').index('session').getAll(session.key) : []
  })
  return waiting.flatMap(({ json }) => {
    try {
      return [JSON.parse(json) as Command]
    } catch {
      return []
    }
  })
}

export function findReceipt(connection: Connection, id: string, commandId: string): Promise<Receipt | undefined> {
  return connection.read(async (transaction) => {
    const session = await findSession(transaction, id)
    const stored = session && (await transaction.objectStore('receipts').get([session.key, commandId]))
    return stored && (JSON.parse(stored.json) as Receipt)
  })
}

/** Part of an append's transaction. */
export async function judge(transaction: Writing, session: number, receipts: readonly Receipt[]): Promise<void> {
  const inbox = transaction.objectStore('inbox')
  const judged = transaction.objectStore('receipts')
  for (const receipt of receipts) {
    const id = receipt.commandId
    const [arrival, waiting, earlier] = await Promise.all([
      inbox.index('command').getKey([session, id]),
      inbox.index('command').get([session, id]),
      judged.get([session, id]),
    ])
    const content = (waiting ?? earlier)?.content
    await judged.put({ session, id, json: JSON.stringify(receipt), ...(content !== undefined && { content }) })
    if (arrival !== undefined) await inbox.delete(arrival)
  }
}
