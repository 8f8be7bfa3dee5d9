import { ConfigError } from '../protocol/errors.ts'
import type { HookName, Plugin } from './plugin.ts'

const HOOKS: Readonly<Record<HookName, true>> = {
  'session:start': true,
  'session:end': true,
  'turn:before': true,
  'turn:after': true,
  'tool:before': true,
  'tool:around': true,
  'tool:after': true,
  stop: true,
  'verify:stop': true,
  'transform:user-input': true,
  'transform:response': true,
  'transform:tool-output': true,
}

/** Longer timers fire at once on every platform. */
const MAX_TIMER_MS = 2_147_483_647

/** Throws `config.invalid`. A hook that nobody would ever call may be the one that keeps something from happening. */
export function checkPlugin({ name, priority = 0, timeoutMs = 0, hooks = {}, observe }: Plugin): void {
  const refuse = (problem: string): never => {
    throw new ConfigError('config.invalid', `The plugin "${name}" cannot be used: ${problem}.`)
  }
  if (!Number.isFinite(priority)) refuse('its priority has to be a number')
  if (!(timeoutMs >= 0 && timeoutMs <= MAX_TIMER_MS)) refuse(`its timeoutMs has to be at most ${MAX_TIMER_MS}`)
  if (observe !== undefined && typeof observe !== 'function') refuse('its observe has to be a function')
  for (const [hook, does] of Object.entries(hooks)) {
    if (!Object.hasOwn(HOOKS, hook)) refuse(`there is no hook "${hook}". There are: ${Object.keys(HOOKS).join(', ')}`)
    if (does !== undefined && typeof does !== 'function') refuse(`its hook "${hook}" has to be a function`)
  }
}
