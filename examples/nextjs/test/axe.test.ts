import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { chatOf } from './chat.ts'
import { focused } from './keyboard.ts'
import { REFUSED, testedApp } from './tested-app.ts'

const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } }
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

const app = testedApp({ pauseMs: 30, stepMs: 1_000 }, REFUSED)
let axe = ''
beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
})

/** What axe finds wrong with the page as it is now, in light and in dark. */
async function audit(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ content: axe })
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const { violations } = await page.evaluate<AxeResults, RunOptions>(
      (options) => (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run(document, options),
      { resultTypes: ['violations'] },
    )
    for (const { id, nodes } of violations) {
      for (const { html } of nodes) found.push(`${colorScheme}: ${id}: ${html}`)
    }
  }
  return found
}

describe.each([
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
])('on %s axe finds nothing', (_name, options) => {
  test('at the door', async () => {
    const page = await (await app.visit(options)).newPage()
    await page.goto('/sign-in')
    expect(await audit(page)).toEqual([])
    await page.getByRole('button', { name: 'Ada' }).click()
    await page.getByRole('heading', { name: 'What shall we do?' }).waitFor()
    expect(await audit(page)).toEqual([])
    await page.goto('/chat/ses_nobody')
    await page.getByRole('heading', { name: 'There is no such session' }).waitFor()
    expect(await audit(page)).toEqual([])
  })

  test('in a conversation', async () => {
    const page = await app.signedIn('Grace', options)
    const chat = chatOf(page)
    await page.getByRole('button', { name: /^Fix the failing test/ }).click()
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
    await chat.sayLater('Ask me something')
    await chat.queue.getByText('Ask me something').waitFor()
    expect(await audit(page), 'an approval, a queue').toEqual([])

    await chat.press('Allow')
    await chat.sees('✓ types of src/cart.ts')
    expect(await audit(page), 'a tool at work').toEqual([])
    await page.getByRole('radio', { name: /^Quiet/ }).waitFor()
    expect(await audit(page), 'a table, a question').toEqual([])
    await chat.press('Skip')
    await chat.sees('You left it to me')
    if (options.isMobile) {
      await page.getByRole('button', { name: 'Show sessions' }).press('Enter')
      await page.getByRole('navigation', { name: 'Your sessions' }).waitFor()
      expect(await audit(page), 'the list').toEqual([])
      expect(await focused(page)).toBe('Close the list')
      await page.keyboard.press('Escape')
      await page.getByRole('navigation', { name: 'Your sessions' }).waitFor({ state: 'hidden' })
      expect(await focused(page)).toBe('Show sessions')
    }
    await chat.message.fill('Fail, please')
    await chat.press('Send')
    await chat.sees('Something went wrong')
    expect(await audit(page), 'a failure').toEqual([])
  })
})
