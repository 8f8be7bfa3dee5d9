/** Every default, in one place. Times in milliseconds. */
export const MAX_TURNS = 50
/** Turns that bring nothing new before a run has stalled. */
export const MAX_REPEATS = 5
/** How often a reply that does not fit its schema is asked for again. */
export const OUTPUT_REASKS = 2
/** How often plugins may send the model of one run back. */
export const MAX_SEND_BACKS = 3

export const RETRIES = 2
export const RETRY_BASE_MS = 1_000
/** A provider that asks for a longer wait than this fails the attempt for good. */
export const RETRY_MAX_DELAY_MS = 60_000

export const CONNECT_MS = 30_000
/** Until the first token, and between any two reads. */
export const IDLE_MS = 300_000
export const ATTEMPT_MS = 1_800_000

export const FLUSH_MS = 1_000

/** Longer timers fire at once on every platform. */
export const MAX_TIMER_MS = 2_147_483_647

export const LEASE_MS = 15_000
export const LEASE_RENEW_MS = 5_000
export const INBOX_POLL_MS = 500
/** How often a reader without the owner in its process asks the store for news. */
export const HEAD_POLL_MS = 1_000
export const RECEIPT_WAIT_MS = 10_000
export const ABORT_PULL_MS = 1_000
/** How long opening a session waits for the recovery of an interrupted run. */
export const RECOVERY_WAIT_MS = 1_000

export const PARALLEL_CALLS = 8
/** How long a call that runs alone keeps its place behind those of which it is not decided yet whether they may run. */
export const VERDICT_WAIT_MS = 1_000

/** 8 MiB. */
export const MAX_COMMAND_BYTES = 8_388_608
/** 100 MiB. */
export const MAX_BLOB_BYTES = 104_857_600

/** A snapshot is saved at a `finish` this many events after the last one. */
export const SNAPSHOT_EVENTS = 1_000
/** Events a reader that is behind reads at once. */
export const READER_PAGE = 1_024

/** The waits between the five tries of an append: 3 s in all. Last, as bundlers write numbers into the code up to here. */
export const STORE_RETRY_MS = [50, 200, 750, 2_000] as const
