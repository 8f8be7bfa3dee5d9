// The least there is to do: read the rows of the file and parse them.
import Database from 'better-sqlite3'

export async function run({ file }) {
  const db = new Database(file, { readonly: true })
  let messages = 0
  for (const json of db.prepare('SELECT json FROM events ORDER BY session, seq').pluck().iterate()) {
    if (JSON.parse(json).type === 'message') messages++
  }
  db.close()
  return { messages }
}
