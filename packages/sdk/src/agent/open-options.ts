import type { SessionDetails } from '../protocol/events.ts'
import type { Message } from '../protocol/messages.ts'

export interface OpenOptions extends SessionDetails {
  /** `false`: only open a session that exists. Default: create it. */
  readonly create?: boolean
  /** What a session that is created begins with: another one's messages, results inside. */
  readonly history?: readonly Message[]
}
