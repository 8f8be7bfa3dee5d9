import { expect, test } from 'vitest'
import { chatOf } from './chat.ts'
import { testedApp } from './tested-app.ts'

const app = testedApp({ pauseMs: 30, stepMs: 1_000 })

test('for those who asked for less motion nothing moves by itself, and the way to the end is a jump', async () => {
  const page = await app.signedIn('Ada', { reducedMotion: 'reduce' })
  const chat = chatOf(page)
  const moving = () => page.evaluate(() => document.getAnimations().length)
  await chat.say('Write something long')
  await chat.sees('Thinking')
  expect(await moving()).toBe(0)
  await chat.heading('While I write')
  expect(await moving()).toBe(0)

  const log = page.getByRole('log')
  await log.focus()
  await page.keyboard.press('Home')
  await page.getByRole('button', { name: 'Jump to the latest message' }).waitFor()
  // A glide has gone nowhere yet when the click returns.
  const left = await log.evaluate((viewport) => {
    document.querySelector<HTMLElement>('.to-end')?.click()
    return viewport.scrollHeight - viewport.clientHeight - viewport.scrollTop
  })
  expect(left).toBeLessThan(2)
  await chat.press('Stop')
  await chat.sees('Stopped')
})
