import { expect, test } from 'vitest'
import { chatOf } from './chat.ts'
import { REFUSED, testedApp } from './tested-app.ts'

const app = testedApp({ pauseMs: 12, stepMs: 100 }, REFUSED)

test('two tabs of one session: what waits is edited in one, a denial shows in both', async () => {
  const page = await app.signedIn('Ada')
  const chat = chatOf(page)
  await chat.say('Fix the failing test')
  await page.getByRole('button', { name: 'Deny' }).waitFor()
  await chat.sayLater('Say it again')

  const other = await page.context().newPage()
  const there = chatOf(other)
  await other.goto(page.url())
  await there.queue.getByRole('button', { name: 'Say it again' }).click()
  const field = other.getByRole('textbox', { name: 'Edit the waiting message' })
  await field.fill('Hit the limit')
  await field.press('Enter')
  await chat.queue.getByRole('button', { name: 'Hit the limit' }).waitFor()

  await chat.press('Deny')
  await chat.tool('Edit src/cart.ts').getByRole('button', { name: 'Deny' }).click()
  await there.sees('Then I leave the file as it is.')
  await there.sees('The rest can still be written.')
  await chat.sees('The rest can still be written.')
  await expect.poll(() => there.transcript()).toBe(await chat.transcript())
})

test('two users: the second is refused, by the page and by every route', async () => {
  const ada = await app.signedIn('Ada')
  await chatOf(ada).say('Hello')
  await chatOf(ada).sees('I am a scripted model')
  const id = new URL(ada.url()).pathname.split('/').at(-1)

  const grace = await app.signedIn('Grace')
  await grace.getByText('Nothing yet.').waitFor()
  const answer = await grace.goto(ada.url())
  expect(answer?.status()).toBe(404)
  await grace.getByRole('heading', { name: 'There is no such session' }).waitFor()
  const statuses = await grace.evaluate(async (session) => {
    const at = `/api/agent/sessions/${session}`
    const json = { 'content-type': 'application/json' }
    const command = { id: 'cmd_1', type: 'input', mode: 'run', parts: [{ type: 'text', text: 'From Grace' }] }
    const asked = [
      fetch(at),
      fetch(`${at}/messages`),
      fetch(`${at}/events?after=0`),
      fetch(`${at}/commands`, { method: 'POST', headers: json, body: JSON.stringify(command) }),
      fetch(at, { method: 'DELETE' }),
    ]
    return Promise.all(asked.map(async (each) => (await each).status))
  }, id)
  expect(statuses).toEqual([404, 404, 404, 404, 404])
  expect(await chatOf(ada).transcript()).not.toContain('From Grace')
})
