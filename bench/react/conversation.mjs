// One conversation with a contestant: a history on the screen, then a reply that is fed into it. Runs in jsdom and in
// browsers alike.
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { bytesOf, words } from './stream.mjs'

/** Mounts a contestant that shows `messages` messages, and asks. Resolves once the reply has begun. */
export async function begin(contestant, { messages, deltas, later, isOneDelta = false, ...settings }) {
  const history = Array.from({ length: messages }, (_, i) => ({ id: `m${i}`, text: `Message ${i}.` }))
  const said = words(deltas)
  const counted = { renders: 0 }
  const server = contestant.serve(history)
  globalThis.fetch = async (url, init) => server.answer(new URL(String(url), 'http://bench/'), init)
  const place = document.body.appendChild(document.createElement('main'))
  const root = createRoot(place)
  root.render(createElement(contestant.App, { history, settings, onText: () => counted.renders++ }))
  await until(() => place.querySelectorAll('p').length >= messages, later)
  place.querySelector('button')?.click()
  const feed = await until(() => server.feed, later)
  const first = bytesOf(server.begin())
  const chunks = (isOneDelta ? [said.join('')] : said).map((text) => bytesOf(server.delta(text)))
  feed.write(first)
  const text = said.join('')
  const shown = () => place.lastElementChild?.textContent ?? ''
  return {
    counted,
    chunks,
    feed,
    async end() {
      feed.write(bytesOf(server.end(text)))
      if (contestant.closes) feed.close()
      await until(() => shown() === text, later)
    },
    leave() {
      root.unmount()
      place.remove()
    },
  }
}

/** As soon as it holds; what it gave. */
export async function until(holds, later) {
  for (;;) {
    const value = holds()
    if (value) return value
    await later()
  }
}
