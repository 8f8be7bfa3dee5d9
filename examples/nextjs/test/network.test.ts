import { expect, test } from 'vitest'
import { chatOf } from './chat.ts'
import { testedApp } from './tested-app.ts'

/** Chromium itself says in the console that a request failed. */
const FAILED =
  /net::ERR_(INTERNET_DISCONNECTED|NETWORK_CHANGED|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_(RESET|CLOSED))/

const app = testedApp({ pauseMs: 12, stepMs: 100 }, FAILED)

test('offline and back: the run goes on without the page, and what was sent meanwhile arrives', async () => {
  const page = await app.signedIn('Ada')
  const chat = chatOf(page)
  await chat.say('Write something long')
  await chat.heading('A session is a log')
  await page.context().setOffline(true)
  app.network.cut()
  await chat.sees('You are offline. What you send waits here.')
  await chat.sayLater('Hit the limit')
  await page.context().setOffline(false)
  await chat.sees('folding carefully')
  await chat.sees('This reply is cut at the length limit')
  await page.getByText('You are offline').waitFor({ state: 'detached' })
  const text = await chat.transcript()
  expect(text?.split('A session is a log').length, 'said once').toBe(2)
  expect(text?.split('Hit the limit').length, 'sent once').toBe(2)
})

test('a laptop sleeps: its streams are dead without a word, and the page catches up when it wakes', async () => {
  const page = await app.signedIn('Ada')
  const chat = chatOf(page)
  await page.clock.install()
  await chat.say('Write something long')
  await chat.heading('A session is a log')

  const asleep = await page.context().newCDPSession(page)
  await asleep.send('Debugger.enable')
  await asleep.send('Debugger.pause')
  app.network.sleep()
  // The run goes on without this page: another one sees its end.
  const other = await page.context().newPage()
  await other.goto(page.url())
  await chatOf(other).sees('folding carefully')
  await asleep.send('Debugger.resume')
  await asleep.detach()
  expect(await chat.transcript()).not.toContain('folding carefully')

  await page.clock.fastForward('10:00')
  await chat.sees('folding carefully')
  await expect.poll(() => chat.transcript()).toBe(await chatOf(other).transcript())
})
