import { expect, test } from 'vitest'
import { chatOf } from './chat.ts'
import { testedApp } from './tested-app.ts'

const app = testedApp({ pauseMs: 8, stepMs: 60 })

test('send, stream, approve', async () => {
  const page = await app.signedIn('Ada')
  const chat = chatOf(page)
  await chat.say('Fix the failing test')
  await chat.tool('Read src/cart.ts').waitFor()
  await chat.tool('Edit src/cart.ts').getByText('item.price * item.count').waitFor()
  expect(new URL(page.url()).pathname).toMatch(/^\/chat\/ses_/)

  await chat.press('Allow')
  await chat.sees('All checks pass.')
  await page.getByRole('cell', { name: '900' }).waitFor()
  await chat.tool('Run the checks: 6 passed').waitFor()
  await page.getByRole('link', { name: 'Fix the failing test' }).waitFor()
})

test('deny, with what to do instead', async () => {
  const chat = chatOf(await app.signedIn('Ada'))
  await chat.say('Fix the failing test')
  await chat.press('Deny')
  const instead = chat.tool('Edit src/cart.ts').getByRole('textbox', { name: 'What to do instead' })
  await instead.fill('Write a loop')
  await instead.press('Enter')
  await chat.sees('Then I leave the file as it is.')
  await chat.tool('Edit src/cart.ts').getByText('Denied').waitFor()
  await chat.tool('Edit src/cart.ts').getByRole('button').click()
  await chat.sees('Write a loop')
})

test('answer, with a choice and in own words', async () => {
  const page = await app.signedIn('Ada')
  const chat = chatOf(page)
  await page.getByRole('button', { name: /^Ask me something first/ }).click()
  await page.getByRole('radio', { name: /^Quiet/ }).check()
  await page.getByRole('checkbox', { name: 'Cart' }).check()
  await page.getByRole('textbox', { name: /What belongs on it/ }).fill('A map')
  await chat.press('Answer')
  await chat.sees('So it is: Quiet, Cart, A map.')
})

test('steer: what is said meanwhile is heard in the same run', async () => {
  const page = await app.signedIn('Ada')
  const chat = chatOf(page)
  await chat.say('Fix the failing test')
  await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
  await chat.say('Be brief')
  await chat.queue.getByText('Be brief').waitFor()
  await chat.press('Allow')
  await chat.sees('You say “Be brief”: I have it, and go on.')
  await chat.queue.waitFor({ state: 'detached' })
  await chat.sees('All checks pass.')
})

test('queue, edit and take away what waits; then it is done in its turn', async () => {
  const page = await app.signedIn('Ada')
  const chat = chatOf(page)
  await chat.say('Fix the failing test')
  await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
  await chat.sayLater('Say it again')
  await chat.sayLater('Not this')
  await chat.queue.getByRole('listitem').filter({ hasText: 'Not this' }).getByRole('button', { name: 'Remove' }).click()
  await chat.queue.getByText('Not this').waitFor({ state: 'detached' })
  await chat.queue.getByRole('button', { name: 'Say it again' }).click()
  const field = page.getByRole('textbox', { name: 'Edit the waiting message' })
  await field.fill('Hit the limit')
  await field.press('Enter')
  await chat.queue.getByRole('button', { name: 'Hit the limit' }).waitFor()
  await chat.press('Allow')
  await chat.sees('All checks pass.')
  await chat.sees('This reply is cut at the length limit')
  await page.getByText('Cut at the length limit', { exact: true }).waitFor()
  expect(await chat.transcript()).not.toContain('Not this')
})
