import type { Message } from '../../protocol/messages.ts'
import { parsed } from '../../protocol/parsed.ts'
import { REDUCER_VERSION } from '../../protocol/state.ts'
import type { Snapshot } from '../store.ts'
import type { Connection } from './connection.ts'
import { existingRow } from './rows.ts'

/** Characters in a row of history, about: what is cut out of shorter texts would be moved with them when they age. */
const ROW_CHARACTERS = 256_000

/** Of one byte a character for V8, as most texts are. */
const IS_LATIN1 = /^[\0-\xff]*$/

/**
 * A row of a snapshot. The texts of its messages stand behind one another in `text`, and their JSON has their lengths in
 * their place: what is cut out of a long text is a view of it, while what JSON.parse makes is a copy that the garbage
 * collector copies twice more. Texts of other than Latin-1 characters stay in the JSON, for one of them would make all of
 * the row two bytes wide.
 */
interface Row {
  readonly json: string
  readonly text: string
}

/**
 * The first row is the snapshot without its history, which follows. Writes only what is not there yet: of a history that
 * grew, the end.
 */
export function saveSnapshot(connection: Connection, id: string, { version, seq, state }: Snapshot): void {
  const first: Snapshot = { version, seq, state: { ...state, history: [] } }
  const rows = [{ json: JSON.stringify(first), text: '' }, ...historyRows(state.history)]
  connection.write(() => {
    const { key } = existingRow(connection, id)
    const stored = connection.sql(ROWS).get(id) as Row | undefined
    const known = parsed(String(stored?.json)) as Snapshot | undefined
    if (known?.version === version && known.seq > seq) return
    const put = connection.sql(PUT)
    for (const [part, { json, text }] of rows.entries()) put.run(key, part, json, text)
    connection.sql('DELETE FROM snapshots WHERE session = ? AND part >= ?').run(key, rows.length)
  })
}

/** A snapshot is a cache: one that cannot be read is none. */
export function findSnapshot(connection: Connection, id: string): Snapshot | undefined {
  let first: Snapshot | undefined
  const history: Message[] = []
  for (const row of connection.sql(ROWS).iterate(id) as Iterable<Row>) {
    if (first === undefined) {
      first = parsed(String(row.json)) as Snapshot | undefined
      if (first?.version !== REDUCER_VERSION) return undefined
      continue
    }
    if (!addMessages(row, history)) return undefined
  }
  return first && { ...first, state: { ...first.state, history } }
}

const ROWS = 'SELECT json, text FROM snapshots WHERE session = (SELECT key FROM sessions WHERE id = ?) ORDER BY part'
const PUT = `
INSERT INTO snapshots (session, part, json, text) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET json = excluded.json, text = excluded.text
WHERE json <> excluded.json OR text <> excluded.text`

/** Where a row ends depends on what is before it alone, so that rows stay the same as the history grows. */
function historyRows(history: readonly Message[]): Row[] {
  const rows: Row[] = []
  let messages: string[] = []
  let texts: string[] = []
  let length = 0
  for (const [index, message] of history.entries()) {
    const { json, text } = rowOf(message)
    messages.push(json)
    texts.push(text)
    length += json.length + text.length
    if (length < ROW_CHARACTERS && index < history.length - 1) continue
    rows.push({ json: `[${messages.join()}]`, text: texts.join('') })
    messages = []
    texts = []
    length = 0
  }
  return rows
}

function rowOf(message: Message): Row {
  let text = ''
  if (!('parts' in message)) return { json: JSON.stringify(message), text }
  const parts = message.parts.map((part) => {
    if (!('text' in part) || part.text === undefined || !IS_LATIN1.test(part.text)) return part
    text += part.text
    return { ...part, text: part.text.length }
  })
  return { json: JSON.stringify({ ...message, parts }), text }
}

/** Whether the row could be read. */
function addMessages({ json, text }: Row, history: Message[]): boolean {
  const messages = parsed(String(json)) as Message[] | undefined
  let at = 0
  for (const message of messages ?? []) {
    for (const part of 'parts' in message ? (message.parts as readonly { text?: unknown }[]) : []) {
      if (typeof part.text !== 'number') continue
      const end = at + part.text
      part.text = text.slice(at, end)
      at = end
    }
    history.push(message)
  }
  return messages !== undefined && at === text.length
}
