import { expect, test } from 'vitest'
import { manualClock } from '../testing/manual-clock.ts'
import { liveOutput } from './live-output.ts'

function collecting() {
  const shown: string[] = []
  return { shown, live: liveOutput(manualClock(), (text) => shown.push(text)) }
}

test('what is said before the pump is there keeps its order', async () => {
  const { shown, live } = collecting()
  live.push('a')
  live.push('b')
  await live.settled()
  live.push('c')
  live.end()
  expect(shown.join('')).toBe('abc')
})

test('the end waits for nothing, and nothing comes after it', async () => {
  const { shown, live } = collecting()
  live.push('a')
  live.end()
  await live.settled()
  live.push('b')
  await live.settled()
  expect(shown).toEqual([])
})

test('without output there is nothing to wait for', async () => {
  const { shown, live } = collecting()
  await live.settled()
  live.end()
  expect(shown).toEqual([])
})
