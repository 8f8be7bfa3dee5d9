import { ConfigError } from '../../protocol/errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { SessionState } from '../../protocol/state.ts'
import { MAX_JSON_BYTES } from '../server/limits.ts'
import { type AgentServerOptions, type ServerSettings, settingsOf } from '../server/options.ts'

export interface AGUIHandlerOptions
  extends Pick<
    AgentServerOptions,
    'agent' | 'authorize' | 'canAccess' | 'cors' | 'heartbeatMs' | 'waitUntil' | 'maxDurationMs'
  > {
  /**
   * What becomes of a run whose client leaves before its end. `continue`: it goes on, and the client's next run follows
   * it. `abort`: it is stopped. In AG-UI a stop button and a lost connection are the same. Default `continue`.
   */
  readonly onDisconnect?: 'continue' | 'abort'
  /** What of a session its clients get as their shared state, told whenever it changed. Default: nothing. */
  readonly state?: (state: SessionState) => JsonObject
  /** Of a request. Clients send all their messages with each. Default 8 MiB. */
  readonly maxBodyBytes?: number
}

export interface HandlerSettings extends Required<Pick<AGUIHandlerOptions, 'onDisconnect' | 'maxBodyBytes'>> {
  readonly server: ServerSettings
  readonly state: AGUIHandlerOptions['state']
}

/** Throws `config.invalid` for the first option that cannot work. */
export function handlerSettings(options: AGUIHandlerOptions): HandlerSettings {
  const { onDisconnect = 'continue', maxBodyBytes = MAX_JSON_BYTES, state, ...shared } = options
  if (onDisconnect !== 'continue' && onDisconnect !== 'abort') {
    throw new ConfigError('config.invalid', "onDisconnect has to be 'continue' or 'abort'.")
  }
  if (!(maxBodyBytes > 0)) throw new ConfigError('config.invalid', 'maxBodyBytes has to be a number of bytes.')
  if (state !== undefined && typeof state !== 'function') {
    throw new ConfigError('config.invalid', 'state has to be a function of the session state.')
  }
  return { server: settingsOf(shared), onDisconnect, maxBodyBytes, state }
}
