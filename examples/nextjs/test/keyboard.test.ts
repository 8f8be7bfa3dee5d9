import { expect, test } from 'vitest'
import { chatOf } from './chat.ts'
import { focused, tabTo } from './keyboard.ts'
import { testedApp } from './tested-app.ts'

const app = testedApp({ pauseMs: 30, stepMs: 1_000 })

test('with the keyboard alone: sign in, send, allow, answer, queue, stop, find another session', async () => {
  const page = await (await app.visit()).newPage()
  const chat = chatOf(page)
  await page.goto('/sign-in')
  await tabTo(page, /Ada/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'What shall we do?' }).waitFor()

  await tabTo(page, 'Message')
  await page.keyboard.type('Fix the failing test')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
  expect(await focused(page), 'an approval takes no focus').toBe('Message')
  await tabTo(page, 'Allow', 'back')
  await page.keyboard.press('Enter')
  await chat.sees('Changed. Now the checks.')
  expect(await focused(page), 'what was answered is gone: the focus is not').toMatch(/^Edit src\/cart.ts/)
  await chat.sees('All checks pass.')

  await tabTo(page, 'Message')
  await page.keyboard.type('Ask me something')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Answer' }).waitFor()
  await tabTo(page, /^Dense/, 'back')
  await page.keyboard.press('ArrowUp')
  await tabTo(page, 'Answer')
  await page.keyboard.press('Enter')
  await chat.sees('So it is: Bold')

  await tabTo(page, 'Message')
  await page.keyboard.type('Write something long')
  await page.keyboard.press('Enter')
  await chat.heading('A session is a log')
  await page.keyboard.type('Later')
  await page.keyboard.press('Control+Enter')
  await chat.queue.getByText('Later').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Stopped', { exact: true }).waitFor()

  await tabTo(page, 'New chat', 'back')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'What shall we do?' }).waitFor()
  await tabTo(page, 'Search sessions')
  await page.keyboard.type('failing')
  await tabTo(page, 'Fix the failing test')
  await page.keyboard.press('Enter')
  await chat.sees('All checks pass.')
})
