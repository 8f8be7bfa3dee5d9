import { expect, test } from 'vitest'
import { manualClock } from './manual-clock.ts'

test('runs what is due in order of time, then of setting, each at its own time', () => {
  const clock = manualClock(1000)
  const seen: string[] = []
  const note = (name: string) => () => void seen.push(`${name}@${clock.now()}`)
  clock.setTimer(note('late'), 30)
  clock.setTimer(note('first'), 10)
  clock.setTimer(note('second'), 10)
  clock.setTimer(note('never'), 100)
  clock.advance(50)
  expect(seen).toEqual(['first@1010', 'second@1010', 'late@1030'])
  expect(clock.now()).toBe(1050)
  expect(clock.pending).toBe(1)
})

test('runs timers that timers set, and forgets cancelled ones', () => {
  const clock = manualClock()
  const seen: number[] = []
  const cancel = clock.setTimer(() => seen.push(-1), 15)
  clock.setTimer(() => {
    cancel()
    clock.setTimer(() => seen.push(clock.now()), 5)
  }, 10)
  clock.advance(20)
  cancel()
  expect(seen).toEqual([15])
  expect(clock.pending).toBe(0)
})
