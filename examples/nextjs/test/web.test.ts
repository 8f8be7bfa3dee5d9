import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningApp, startApp } from './app.ts'

let app: RunningApp
beforeAll(async () => {
  app = await startApp({ pauseMs: 15, stepMs: 150 })
})
afterAll(() => app.close())

test('send, stream, approve, and what the checks print', async () => {
  const { page, complaints } = await app.signedIn('Ada')
  await page.getByRole('textbox', { name: 'Message' }).fill('Fix the failing test')
  await page.keyboard.press('Enter')

  await page.getByRole('region', { name: 'Read src/cart.ts' }).waitFor()
  await page.getByRole('region', { name: 'Edit src/cart.ts' }).getByText('item.price * item.count').waitFor()
  expect(new URL(page.url()).pathname).toMatch(/^\/chat\/ses_/)

  // It waits: another look at the page finds the same question.
  await page.reload()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByText('✓ an empty cart costs nothing').waitFor()
  await page.getByText('All checks pass.').waitFor()
  await page.getByRole('cell', { name: '900' }).waitFor()
  await page.getByRole('link', { name: 'Fix the failing test' }).waitFor()
  expect(complaints).toEqual([])
})

test('a reload in the middle of a reply goes on with it; stop gives back what was queued', async () => {
  const { page, complaints } = await app.signedIn('Ada')
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill('Write something long')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'A session is a log' }).waitFor()

  const html = await (await page.context().request.get(page.url())).text()
  expect(html).toContain('A session is a log')
  await page.reload()
  await page.getByRole('heading', { name: 'Why not keep the messages?' }).waitFor()

  await composer.fill('And then this')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('region', { name: 'Waiting messages' }).getByText('And then this').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Stopped', { exact: true }).waitFor()
  await expect.poll(() => composer.inputValue()).toBe('And then this')
  expect(complaints).toEqual([])
})

test('two windows show the same: what waits is edited in one, a denial says why in both', async () => {
  const { page, complaints } = await app.signedIn('Ada')
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill('Fix the failing test')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Deny' }).waitFor()
  await composer.fill('Say it again')
  await page.keyboard.press('Control+Enter')

  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.getByRole('button', { name: 'Say it again' }).click()
  await other.keyboard.press('Control+A')
  await other.keyboard.type('Hit the limit')
  await other.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Hit the limit' }).waitFor()

  await page.getByRole('button', { name: 'Deny' }).click()
  await page.keyboard.type('Write a loop')
  await page.keyboard.press('Enter')
  await other.getByText('Then I leave the file as it is.').waitFor()
  await other.getByText('Cut at the length limit', { exact: true }).waitFor()
  await page.getByText('Cut at the length limit', { exact: true }).waitFor()
  expect(complaints).toEqual([])
})

test('nobody sees the sessions of somebody else', async () => {
  const ada = await app.signedIn('Ada')
  await ada.page.getByRole('button', { name: /^Ask me something first/ }).click()
  await ada.page.getByRole('radio', { name: /^Quiet/ }).check()
  await ada.page.getByRole('button', { name: 'Answer' }).click()
  await ada.page.getByText('So it is: Quiet').waitFor()

  const grace = await app.signedIn('Grace')
  await grace.page.getByText('Nothing yet.').waitFor()
  const answer = await grace.page.goto(ada.page.url())
  expect(answer?.status()).toBe(404)
  await grace.page.getByRole('heading', { name: 'There is no such session' }).waitFor()
  expect(ada.complaints).toEqual([])
})
