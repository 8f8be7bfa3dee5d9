import { expect, test } from 'vitest'
import { manualClock } from '../testing/manual-clock.ts'
import { frameSchedule } from './frames.ts'

function world() {
  const clock = manualClock()
  const frames = new Map<number, () => void>()
  const schedule = frameSchedule({
    requestAnimationFrame(callback) {
      frames.set(frames.size + 1, callback)
      return frames.size
    },
    cancelAnimationFrame: (frame) => void frames.delete(frame),
    setTimeout: (callback, ms) => clock.setTimer(callback, ms),
    clearTimeout: (cancel) => cancel(),
  })
  const nextFrame = (): void => {
    for (const [frame, callback] of [...frames]) {
      frames.delete(frame)
      callback()
    }
  }
  return { clock, frames, schedule, nextFrame }
}

test('publishes with the next frame, once, and leaves no timer behind', () => {
  const { clock, schedule, nextFrame } = world()
  let published = 0
  schedule(() => published++)
  expect(published).toBe(0)
  nextFrame()
  expect([published, clock.pending]).toEqual([1, 0])
  clock.advance(1000)
  expect(published).toBe(1)
})

test('publishes after 100 ms where no frame comes, and asks for no frame any more', () => {
  const { clock, frames, schedule } = world()
  let published = 0
  schedule(() => published++)
  clock.advance(99)
  expect(published).toBe(0)
  clock.advance(1)
  expect([published, frames.size]).toEqual([1, 0])
})

test('a cancelled one never publishes, and cancelling twice does no harm', () => {
  const { clock, frames, schedule, nextFrame } = world()
  let published = 0
  const cancel = schedule(() => published++)
  cancel()
  cancel()
  nextFrame()
  clock.advance(1000)
  expect([published, frames.size, clock.pending]).toEqual([0, 0, 0])
})
