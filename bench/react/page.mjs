// The page of a browser that the bench looks at: bundled with one contestant, which is called `contestant` here.
import * as contestant from 'contestant'
import { begin } from './conversation.mjs'

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const later = () => pause(5)
/** Deltas that come between two looks of the page at its other work. */
const TOGETHER = 1_000

/** What there was to show is painted, and this is another task. */
const painted = () =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))

/**
 * A reply at so many tokens a second, on a page that has shown the messages before it. Gives the longest task, ms: 0 when none
 * was longer than 50, where browsers begin to count.
 */
globalThis.converse = async ({ messages, tokens, perSecond, ...settings }) => {
  const talk = await begin(contestant, { messages, deltas: tokens, later, ...settings })
  await painted()
  let longest = 0
  const note = (entries) => {
    for (const { duration } of entries) longest = Math.max(longest, duration)
  }
  const observer = new PerformanceObserver((list) => note(list.getEntries()))
  observer.observe({ type: 'longtask' })
  performance.mark('begun')
  const from = performance.now()
  for (const [i, chunk] of talk.chunks.entries()) {
    const wait = from + (i * 1_000) / perSecond - performance.now()
    if (wait > 0) await pause(wait)
    talk.feed.write(chunk)
  }
  performance.mark('ended')
  await talk.end()
  await painted()
  note(observer.takeRecords())
  return longest
}

/** A reply as fast as the page takes it, shown and then stored, left in the page. It is not painted: so much text on one screen is slow for everyone. */
globalThis.remember = async ({ messages, deltas, isOneDelta }) => {
  document.body.hidden = true
  const talk = await begin(contestant, { messages, deltas, later, isOneDelta })
  for (const [i, chunk] of talk.chunks.splice(0).entries()) {
    talk.feed.write(chunk)
    if (i % TOGETHER === 0) await pause(0)
  }
  await talk.shown()
  await talk.end()
}
