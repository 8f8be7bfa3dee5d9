import type { Clock } from '../protocol/clock.ts'
import { thrownText } from '../protocol/errors.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import type { Message } from '../protocol/messages.ts'
import { callHook } from './call-hook.ts'
import type { HookEvent } from './hook-events.ts'
import type { HookContext, HookName, Hooks, Plugin } from './plugin.ts'

/** How long a hook is waited for, in ms, where its plugin says nothing. */
const HOOK_MS = 30_000

/** Where hooks are called from. */
export interface HookHost {
  /** In the order of their hooks. */
  readonly plugins: readonly Plugin[]
  readonly clock: Clock
  readonly context: unknown
  readonly history: readonly Message[]
  /** Once it is aborted no hook is waited for, and no further one is called. */
  readonly stopped?: AbortSignal
  log(message: string, details?: JsonObject): void
  /** Tells people of a hook that failed. */
  failed(plugin: Plugin, hook: HookName, why: string): void
}

/** Hooks that are called with an event; `tool:around` is none of them. */
type Called = Exclude<HookName, 'tool:around'>
type AnyHook = (this: Hooks, event: HookEvent, ctx: HookContext) => unknown

export interface Asking {
  /** What the next one is told: made anew, as those before it may have changed the matter. */
  event(): HookEvent & { readonly hook: Called }
  /** Takes what one gave; it throws where that cannot be used, which is a failure. `last`: no further one is asked. */
  take?(given: JsonObject, plugin: Plugin): undefined | 'last' | Promise<undefined | 'last'>
  /** One failed, and people were told. `last`: no further one is asked. */
  onFailure?(plugin: Plugin, why: string): undefined | 'last'
}

/** Calls the hooks of one kind, one after the other. Never rejects. False when it was stopped before the last one was heard. */
export async function askHooks(host: HookHost, hook: Called, asking: Asking): Promise<boolean> {
  const { context, log } = host
  for (const plugin of [...host.plugins]) {
    const { hooks, timeoutMs = HOOK_MS } = plugin
    const call = hooks?.[hook] as AnyHook | undefined
    if (hooks === undefined || call === undefined) continue
    const ask = (signal: AbortSignal): unknown => {
      const { history } = host
      // Its own copy: what it does to that is no change of what is in the log.
      return call.call(hooks, structuredClone(asking.event()), { context, history, signal, log })
    }
    const outcome = await callHook(ask, {
      clock: host.clock,
      timeoutMs,
      ...(host.stopped && { stopped: host.stopped }),
    })
    if (outcome.type === 'stopped') return false
    let why = outcome.type === 'failed' ? outcome.why : undefined
    if (outcome.type === 'gave' && asking.take !== undefined && (outcome.value ?? undefined) !== undefined) {
      try {
        if ((await asking.take(anObject(outcome.value), plugin)) === 'last') return true
      } catch (thrown) {
        why = thrownText(thrown)
      }
    }
    if (why === undefined) continue
    host.failed(plugin, hook, why)
    if (asking.onFailure?.(plugin, why) === 'last') return true
  }
  return true
}

function anObject(given: unknown): JsonObject {
  if (!isObject(given)) throw new TypeError('it gave something that is no object')
  return given
}

/** A field that has to be a text. Throws what people are told otherwise. */
export function textOf(given: JsonObject, field: string): string {
  const value = given[field]
  if (typeof value !== 'string') throw new TypeError(`it has to give { ${field} } with a text, or nothing`)
  return value
}
