// One conversation with a contestant: a history on the screen, then a reply that is fed into it. Runs in jsdom and in
// browsers alike.
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { bytesOf, words } from './stream.mjs'

/** Mounts a contestant that shows `messages` messages, and asks. Resolves once the reply has begun. */
export async function begin(contestant, { messages, deltas, later, isOneDelta = false, ...settings }) {
  const { server, place, root, feed, counted } = await mount(contestant, messages, settings, later)
  const said = words(deltas)
  const text = said.join('')
  const chunks = (isOneDelta ? [text] : said).map((more) => bytesOf(server.delta(more)))
  const shown = () => place.lastElementChild?.textContent ?? ''
  return {
    counted,
    chunks,
    feed,
    /** Resolves once the page shows any of the reply. */
    shown: () => until(() => shown() !== '' && text.startsWith(shown()), later),
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

/** What the page keeps of this is no part of the reply: a closure made here keeps everything that any of them uses. */
async function mount(contestant, messages, settings, later) {
  const history = Array.from({ length: messages }, (_, i) => ({ id: `m${i}`, text: `Message ${i}.` }))
  const counted = { renders: 0 }
  const server = contestant.serve(history)
  globalThis.fetch = async (url, init) => server.answer(new URL(String(url), 'http://bench/'), init)
  const place = document.body.appendChild(document.createElement('main'))
  const root = createRoot(place)
  root.render(createElement(contestant.App, { history, settings, onText: () => counted.renders++ }))
  await until(() => place.querySelectorAll('p').length >= messages, later)
  place.querySelector('button')?.click()
  const feed = await until(() => server.feed, later)
  feed.write(bytesOf(server.begin()))
  return { server, place, root, feed, counted }
}

/** As soon as it holds; what it gave. */
export async function until(holds, later) {
  for (;;) {
    const value = holds()
    if (value) return value
    await later()
  }
}
