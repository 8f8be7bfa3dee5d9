/** Raised with every change of the tables; a file with another one is refused. */
export const SCHEMA_VERSION = 3

/** "STPW": tells our files from other applications' ones. */
export const APPLICATION_ID = 0x53545057

/**
 * `key` stands for the session in all other tables, so that an event does not repeat its session's id. Events and
 * snapshots are rowid tables: their JSON is often larger than what a table without rowids keeps on the page.
 */
export const SCHEMA = `
CREATE TABLE sessions (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  title TEXT, search TEXT, principal TEXT, tenant TEXT, profile TEXT, parent TEXT, metadata TEXT, archived INTEGER,
  created_at NUMERIC NOT NULL, updated_at NUMERIC NOT NULL,
  head INTEGER NOT NULL, open_run TEXT, parked INTEGER, wake_at NUMERIC,
  generation INTEGER NOT NULL DEFAULT 0, owner TEXT, lease_expires NUMERIC
);
CREATE INDEX sessions_newest ON sessions (updated_at DESC, id);
CREATE INDEX sessions_of_principal ON sessions (principal, updated_at DESC, id) WHERE principal IS NOT NULL;
CREATE INDEX sessions_of_parent ON sessions (parent, updated_at DESC, id) WHERE parent IS NOT NULL;
CREATE INDEX sessions_open ON sessions (key) WHERE open_run IS NOT NULL;
CREATE INDEX sessions_waking ON sessions (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE events (session INTEGER NOT NULL, seq INTEGER NOT NULL, json TEXT NOT NULL);
CREATE UNIQUE INDEX events_in_order ON events (session, seq);

CREATE TABLE inbox (
  arrival INTEGER PRIMARY KEY,
  session INTEGER NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL, content BLOB NOT NULL, arrived_at NUMERIC NOT NULL,
  UNIQUE (session, id)
);
CREATE INDEX inbox_by_age ON inbox (arrived_at);

CREATE TABLE receipts (
  session INTEGER NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL, content BLOB,
  PRIMARY KEY (session, id)
) WITHOUT ROWID;

CREATE TABLE snapshots (session INTEGER NOT NULL, part INTEGER NOT NULL, json TEXT NOT NULL, text TEXT NOT NULL);
CREATE UNIQUE INDEX snapshots_in_order ON snapshots (session, part);

CREATE TABLE blobs (session INTEGER NOT NULL, sha256 TEXT NOT NULL, media_type TEXT, bytes BLOB NOT NULL);
CREATE UNIQUE INDEX blobs_by_hash ON blobs (session, sha256);

CREATE TABLE ledger_accounts (
  session INTEGER NOT NULL, name TEXT NOT NULL, unit TEXT NOT NULL, amount INTEGER NOT NULL,
  PRIMARY KEY (session, name, unit)
) WITHOUT ROWID;
CREATE TABLE ledger_bookings (
  session INTEGER NOT NULL, attempt TEXT NOT NULL, json TEXT NOT NULL, is_open INTEGER NOT NULL,
  PRIMARY KEY (session, attempt)
) WITHOUT ROWID;
CREATE INDEX ledger_open ON ledger_bookings (session) WHERE is_open = 1;

PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
`

/** Tables whose rows belong to a session by its key. */
export const TABLES_OF_A_SESSION = [
  'events',
  'inbox',
  'receipts',
  'snapshots',
  'blobs',
  'ledger_accounts',
  'ledger_bookings',
] as const
