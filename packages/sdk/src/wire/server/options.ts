import type { Agent } from '../../agent/create-agent.ts'
import { MAX_BLOB_BYTES, MAX_TIMER_MS } from '../../agent/defaults.ts'
import { type AgentHost, hostOf } from '../../agent/host.ts'
import type { RunSettings } from '../../protocol/commands.ts'
import { ConfigError } from '../../protocol/errors.ts'
import type { AccessOptions } from './access.ts'

/** What a client may set: a setting of its runs, or the messages a new session begins with. */
export type Exposed = keyof RunSettings | 'history'

const EXPOSABLE: readonly string[] = [
  'maxTurns',
  'graceTurns',
  'unattended',
  'output',
  'limits',
  'settings',
  'metadata',
  'history',
] satisfies Exposed[]

export interface AgentServerOptions extends AccessOptions {
  readonly agent: Agent
  /** Default: nothing. */
  readonly expose?: readonly Exposed[]
  /** Pages of other origins that may ask. Default: none, only those of this host. */
  readonly cors?: { readonly origins: readonly string[]; readonly credentials?: boolean }
  readonly uploads?: {
    /** Default 10 MiB, at most 100 MiB. */
    readonly maxBytes?: number
    /** For instance `['image/*', 'application/pdf']`. Default: any. */
    readonly mediaTypes?: readonly string[]
  }
  /** How often a stream says that it lives. Default 15,000. */
  readonly heartbeatMs?: number
  /** Keeps a host awake that freezes after its response, for as long as a run is at work. */
  readonly waitUntil?: (work: Promise<unknown>) => void
  /**
   * How long the host lets a request live. Streams end before, and their readers come back. With `waitUntil` a run is
   * given up before, for the next request to take on; the agent then needs `onInterrupted: 'resume'`.
   */
  readonly maxDurationMs?: number
  /** What the paths begin with, for instance `/api/agent`. Default: nothing. */
  readonly basePath?: string
}

export interface ServerSettings extends AccessOptions {
  readonly agent: Agent
  readonly host: AgentHost
  readonly expose: readonly string[]
  readonly cors: { readonly origins: readonly string[]; readonly credentials: boolean } | undefined
  readonly uploads: { readonly maxBytes: number; readonly mediaTypes: readonly string[] | undefined }
  readonly heartbeatMs: number
  readonly waitUntil: ((work: Promise<unknown>) => void) | undefined
  /** How long a stream lives, and a run after its last request. */
  readonly lifeMs: number | undefined
  readonly basePath: string
}

const HEARTBEAT_MS = 15_000
const UPLOAD_BYTES = 10 * 1024 * 1024
/** What is left of a request's time for ending in order. */
const MAX_MARGIN_MS = 5_000

/** Throws `config.invalid` for the first option that cannot work. */
export function settingsOf(options: AgentServerOptions): ServerSettings {
  const { authorize, canAccess, expose = [], cors, uploads = {}, waitUntil, maxDurationMs } = options
  const { heartbeatMs = HEARTBEAT_MS, basePath = '' } = options
  const host = hostOf(options.agent)
  const isFunction = (value: unknown): boolean => value === undefined || typeof value === 'function'
  check(
    typeof authorize === 'function',
    'authorize',
    'a function that gives who asks, or undefined: a server does not answer everyone',
  )
  check(isFunction(canAccess), 'canAccess', 'a function')
  check(isFunction(waitUntil), 'waitUntil', 'a function')
  check(
    Array.isArray(expose) && expose.every((name) => EXPOSABLE.includes(name)),
    'expose',
    `a list of ${EXPOSABLE.join(', ')}`,
  )
  check(
    cors === undefined || (Array.isArray(cors.origins) && cors.origins.every(isOrigin)),
    'cors.origins',
    'a list of origins, for instance https://app.example.com. "*" is none',
  )
  const { maxBytes = UPLOAD_BYTES, mediaTypes } = uploads
  check(maxBytes > 0 && maxBytes <= MAX_BLOB_BYTES, 'uploads.maxBytes', `at most ${MAX_BLOB_BYTES}`)
  check(
    mediaTypes === undefined ||
      (Array.isArray(mediaTypes) && mediaTypes.every((type) => /^[^/\s]+\/[^/\s]+$/.test(type))),
    'uploads.mediaTypes',
    'a list of media types, for instance image/*',
  )
  check(isMs(heartbeatMs), 'heartbeatMs', `milliseconds, at most ${MAX_TIMER_MS}`)
  check(maxDurationMs === undefined || isMs(maxDurationMs), 'maxDurationMs', `milliseconds, at most ${MAX_TIMER_MS}`)
  check(/^(\/[^/?#]+)*$/.test(basePath), 'basePath', 'a path such as /api/agent')
  if (waitUntil !== undefined && maxDurationMs !== undefined && host.runtime.onInterrupted !== 'resume') {
    throw new ConfigError(
      'config.invalid',
      "waitUntil with maxDurationMs hands runs over, so the agent needs onInterrupted: 'resume'. Otherwise each would end as interrupted.",
    )
  }
  return {
    agent: options.agent,
    host,
    authorize,
    ...(canAccess && { canAccess }),
    expose,
    cors: cors && { origins: cors.origins, credentials: cors.credentials ?? false },
    uploads: { maxBytes, mediaTypes },
    heartbeatMs,
    waitUntil,
    lifeMs: maxDurationMs && maxDurationMs - Math.min(MAX_MARGIN_MS, maxDurationMs / 10),
    basePath,
  }
}

function isOrigin(origin: unknown): boolean {
  return typeof origin === 'string' && URL.canParse(origin) && new URL(origin).origin === origin
}

function isMs(value: number): boolean {
  return value > 0 && value <= MAX_TIMER_MS
}

function check(holds: boolean, option: string, expected: string): void {
  if (!holds) throw new ConfigError('config.invalid', `${option} has to be ${expected}.`)
}
