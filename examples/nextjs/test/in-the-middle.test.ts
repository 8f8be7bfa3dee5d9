import { expect, test } from 'vitest'
import { chatOf } from './chat.ts'
import { testedApp } from './tested-app.ts'

// Slow enough that a busy machine is still in the middle: what is left of a run is stopped, not waited for.
const app = testedApp({ pauseMs: 60, stepMs: 4_000 })

test('a reload in the middle of text: the first HTML has what was said, and the page goes on from there', async () => {
  const page = await app.signedIn('Ada')
  const chat = chatOf(page)
  await chat.say('Write something long')
  await chat.heading('A session is a log')
  const html = await (await page.request.get(page.url())).text()
  expect(html).toContain('A session is a log')
  expect(html).not.toContain('folding carefully')
  await page.reload()
  await chat.heading('A session is a log')
  const shown = (await chat.transcript())?.length ?? 0
  await expect.poll(async () => (await chat.transcript())?.length).toBeGreaterThan(shown + 100)
  expect((await chat.transcript())?.split('A session is a log').length, 'said once').toBe(2)
  await chat.press('Stop')
  await chat.sees('Stopped')
})

test('a reload in the middle of a tool: what it printed is there, and what it prints goes on', async () => {
  const page = await app.signedIn('Ada')
  const chat = chatOf(page)
  await chat.say('Fix the failing test')
  await chat.press('Allow')
  await chat.sees('✓ types of src/cart.ts')
  await page.reload()
  await chat.sees('✓ types of src/cart.ts')
  await chat.sees('Running…')
  await chat.sees('✓ one of each')
  await chat.press('Stop')
  await chat.sees('Stopped')
})

test('a reload in the middle of an approval: the same question waits, and its answer goes on with the run', async () => {
  const page = await app.signedIn('Ada')
  const chat = chatOf(page)
  await chat.say('Fix the failing test')
  await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
  await page.reload()
  await chat.tool('Edit src/cart.ts').getByText('item.price * item.count').waitFor()
  await chat.press('Allow')
  await chat.sees('Changed. Now the checks.')
  expect(await chat.tool('Edit src/cart.ts').count()).toBe(1)
})

test('stop keeps what was written, and gives back what was queued', async () => {
  const page = await app.signedIn('Ada')
  const chat = chatOf(page)
  await chat.say('Write something long')
  await chat.heading('A session is a log')
  await chat.sayLater('And then this')
  await chat.queue.getByText('And then this').waitFor()
  await chat.press('Stop')
  await page.getByText('Stopped', { exact: true }).waitFor()
  await expect.poll(() => chat.message.inputValue()).toBe('And then this')
  expect(await chat.transcript()).toContain('A session is a log')
  expect(await chat.transcript()).not.toContain('folding carefully')
})

test('a second window on the same run shows it from its beginning, and can stop it', async () => {
  const page = await app.signedIn('Ada')
  const chat = chatOf(page)
  await chat.say('Write something long')
  await chat.heading('A session is a log')
  const other = await page.context().newPage()
  const there = chatOf(other)
  await other.goto(page.url())
  await there.heading('A session is a log')
  await there.press('Stop')
  await page.getByText('Stopped', { exact: true }).waitFor()
  await other.getByText('Stopped', { exact: true }).waitFor()
  await expect.poll(() => there.transcript()).toBe(await chat.transcript())
})
