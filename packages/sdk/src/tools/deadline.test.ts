import { expect, test } from 'vitest'
import { manualClock } from '../testing/manual-clock.ts'
import { deadline } from './deadline.ts'

test('time that was paused does not count, also when pauses overlap', () => {
  const clock = manualClock()
  let expired = 0
  const limit = deadline(clock, 100, () => expired++)
  clock.advance(60)
  limit.pause()
  limit.pause()
  clock.advance(1000)
  limit.resume()
  clock.advance(1000)
  expect(clock.pending).toBe(0)
  limit.resume()
  clock.advance(39)
  expect(expired).toBe(0)
  clock.advance(1)
  expect(expired).toBe(1)
  limit.pause()
  limit.resume()
  clock.advance(1000)
  expect(expired).toBe(1)
})

test('cancelled or without limit, it never expires', () => {
  const clock = manualClock()
  const limit = deadline(clock, 100, () => expect.unreachable())
  limit.cancel()
  limit.pause()
  limit.resume()
  deadline(clock, 0, () => expect.unreachable())
  expect(clock.pending).toBe(0)
})
