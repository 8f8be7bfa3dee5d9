import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { manualClock } from '../testing/manual-clock.ts'
import { never } from '../testing/tool-call.ts'
import { callHook } from './call-hook.ts'

test('what a hook gives, at once or later, and what it throws', async () => {
  const clock = manualClock()
  const call = (hook: () => unknown) => callHook(hook, { clock, timeoutMs: 10 })
  expect(await call(() => 1)).toEqual({ type: 'gave', value: 1 })
  expect(await call(async () => 2)).toEqual({ type: 'gave', value: 2 })
  expect(await call(() => undefined)).toEqual({ type: 'gave', value: undefined })
  const throws = () => {
    throw new Error('no luck')
  }
  expect(await call(throws)).toEqual({ type: 'failed', why: 'no luck' })
  expect(await call(() => Promise.reject('none'))).toEqual({ type: 'failed', why: 'none' })
  expect(clock.pending).toBe(0)
})

test('one that takes too long has failed, is told so, and what it does later is ignored', async () => {
  const clock = manualClock()
  let give = (_value: string): void => {}
  let told: unknown
  const slow = (signal: AbortSignal) => {
    signal.addEventListener('abort', () => (told = signal.reason))
    return new Promise((resolve) => (give = resolve))
  }
  const outcome = callHook(slow, { clock, timeoutMs: 100 })
  clock.advance(99)
  expect(told).toBeUndefined()
  clock.advance(1)
  give('late')
  expect(await outcome).toEqual({ type: 'failed', why: 'it took longer than 100 ms' })
  expect(told).toMatchObject({ name: 'TimeoutError' })
})

test('one without a limit of its own is waited for as long as it takes', async () => {
  const clock = manualClock()
  let give = (_value: string): void => {}
  const outcome = callHook(() => new Promise((resolve) => (give = resolve)), { clock, timeoutMs: 0 })
  clock.advance(1e9)
  give('there')
  expect(await outcome).toEqual({ type: 'gave', value: 'there' })
})

test('once it is stopped nobody waits, and one that was not called yet never is', async () => {
  const clock = manualClock()
  const controller = new AbortController()
  let own: AbortSignal | undefined
  const hook = (signal: AbortSignal) => {
    own = signal
    return never()
  }
  const outcome = callHook(hook, { clock, timeoutMs: 100, stopped: controller.signal })
  controller.abort(new Error('enough'))
  expect(await outcome).toEqual({ type: 'stopped' })
  expect(own?.reason).toMatchObject({ message: 'enough' })
  expect(clock.pending).toBe(0)

  let calls = 0
  expect(await callHook(() => calls++, { clock, timeoutMs: 100, stopped: controller.signal })).toEqual({
    type: 'stopped',
  })
  expect(calls).toBe(0)
})

test('hooks of many calls wait for one signal with one listener, and are all stopped by it', async () => {
  const clock = manualClock()
  const controller = new AbortController()
  const call = { clock, timeoutMs: 100, stopped: controller.signal }
  expect(await callHook(() => 1, call)).toEqual({ type: 'gave', value: 1 })
  const outcomes = Promise.all(Array.from({ length: 30 }, () => callHook(() => never(), call)))
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
  controller.abort()
  expect(new Set((await outcomes).map(({ type }) => type))).toEqual(new Set(['stopped']))
  expect(clock.pending).toBe(0)
})
