import { expect, test } from 'vitest'
import { microtasks } from '../testing/microtasks.ts'
import { callGate, runCalls, type ScheduledCall } from './schedule.ts'

interface Step<R> extends ScheduledCall<R> {
  resolve(value: R): void
  reject(reason: unknown): void
}

function board() {
  const log: string[] = []
  let running = 0
  let peak = 0
  function call(name: string, parallel: boolean, more: Partial<ScheduledCall<string>> = {}): Step<string> {
    const { promise, resolve, reject } = deferred<string>()
    return {
      parallel,
      ...more,
      resolve,
      reject,
      async run() {
        log.push(`start ${name}`)
        peak = Math.max(peak, ++running)
        try {
          return await promise
        } finally {
          running--
          log.push(`end ${name}`)
        }
      },
    }
  }
  return { log, call, peak: () => peak }
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<T>((done, fail) => {
    resolve = done
    reject = fail
  })
  return { promise, resolve, reject }
}

test('neighbouring parallel calls run together, the rest in order', async () => {
  const { log, call } = board()
  const [a, b, w, c] = [call('a', true), call('b', true), call('w', false), call('c', true)]
  const results = runCalls(callGate(), [a, b, w, c])
  await microtasks()
  expect(log).toEqual(['start a', 'start b'])
  b.resolve('B')
  await microtasks()
  expect(log).not.toContain('start w')
  a.resolve('A')
  await microtasks()
  expect(log.at(-1)).toBe('start w')
  w.resolve('W')
  await microtasks()
  expect(log.at(-1)).toBe('start c')
  c.resolve('C')
  expect(await results).toEqual(['A', 'B', 'W', 'C'])
})

test('never more than the limit at once, results delivered as they finish and returned in call order', async () => {
  const { call, peak } = board()
  const calls = [call('k1', true), call('k2', true), call('k3', true), call('k4', true)]
  const delivered: string[] = []
  const results = runCalls(callGate(2), calls, (result) => delivered.push(result))
  await microtasks()
  for (const index of [1, 2, 0, 3]) {
    calls[index]?.resolve(`k${index + 1}`)
    await microtasks()
  }
  expect(delivered).toEqual(['k2', 'k3', 'k1', 'k4'])
  expect(await results).toEqual(['k1', 'k2', 'k3', 'k4'])
  expect(peak()).toBe(2)
})

test('a call that rejects and a listener that throws leave the siblings alone', async () => {
  const { call } = board()
  const [bad, good, last] = [call('bad', true), call('good', true), call('last', false)]
  const delivered: string[] = []
  const results = runCalls(callGate(), [bad, good, last], (result) => {
    delivered.push(result)
    if (result === 'good') throw new Error('listener')
  })
  bad.reject(new Error('bad'))
  good.resolve('good')
  last.resolve('last')
  await expect(results).rejects.toThrow('bad')
  expect(delivered).toEqual(['good', 'last'])
})

test('a task that throws at once is a rejection, and the gate stays open', async () => {
  const gate = callGate(1)
  const thrown = gate.run(false, () => {
    throw new Error('at once')
  })
  await expect(thrown).rejects.toThrow('at once')
  expect(await gate.run(true, async () => 1)).toBe(1)
})

test('a call that is held back holds back no sibling', async () => {
  const { log, call } = board()
  const permission = deferred<void>()
  const held = call('held', false, { held: permission.promise })
  const [before, after] = [call('before', true), call('after', false)]
  const results = runCalls(callGate(), [before, held, after])
  before.resolve('1')
  after.resolve('3')
  await microtasks()
  expect(log).toEqual(['start before', 'end before', 'start after', 'end after'])
  permission.reject(new Error('refused: run decides what that means'))
  held.resolve('2')
  expect(await results).toEqual(['1', '2', '3'])
})

test('calls that were started early share the gate and are not run again', async () => {
  const { log, call } = board()
  const gate = callGate()
  const early = call('early', true)
  const started = gate.run(true, () => early.run())
  const write = call('write', false)
  const results = runCalls(gate, [write, { ...early, started }])
  await microtasks()
  expect(log).toEqual(['start early'])
  early.resolve('e')
  write.resolve('w')
  expect(await results).toEqual(['w', 'e'])
  expect(log.filter((line) => line === 'start early')).toHaveLength(1)
})
