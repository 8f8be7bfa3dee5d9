import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

const run = promisify(execFile)
const root = new URL('../../../', import.meta.url)
const script = (name: string): string => fileURLToPath(new URL(`scripts/${name}`, root))
const axe = fileURLToPath(new URL('node_modules/axe-core/axe.min.js', root))

let context: BrowserContext
const complaints: string[] = []

beforeAll(async () => {
  const [{ stdout }] = await Promise.all([
    run(process.execPath, [script('chromium.mjs')]),
    run(process.execPath, [script('demo-browser.mjs'), '--build']),
  ])
  const browser = await chromium.launch({ executablePath: stdout.trim() })
  context = await browser.newContext({ offline: true, reducedMotion: 'reduce' })
  context.on('console', (said) => complaints.push(said.text()))
  context.on('weberror', (error) => complaints.push(String(error.error())))
})

afterEach(async () => {
  for (const page of context.pages()) await page.close()
})

afterAll(() => context?.browser()?.close())

/** The page as a file, without any network. */
async function open(): Promise<Page> {
  const page = await context.newPage()
  await page.goto(new URL('examples/browser/index.html', root).href)
  return page
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

it('keeps a conversation and what its tools did, without a network', async () => {
  const page = await open()
  await say(page, 'buy milk and bread')
  await page.getByText('milk is on the list. bread is on the list.').waitFor()
  await page.close()

  const again = await open()
  await again.getByText('milk is on the list. bread is on the list.').waitFor()
  expect(await again.getByRole('listitem').allTextContents()).toEqual(['milk', 'bread'])

  await say(again, 'clear the list')
  await again.getByRole('button', { name: 'Yes' }).waitFor()
  await again.reload()
  await again.getByRole('button', { name: 'Yes' }).click()
  await again.getByText('The list is empty.').waitFor()
  expect(await again.getByRole('listitem').count()).toBe(0)
})

it('a reload in the middle of a reply keeps what was said, and goes on when it is told to', async () => {
  const page = await open()
  // The model's time stands still but for what this test gives it: so the reload is in the middle, and after the first
  // second, of which the log may not have the words yet.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await say(page, 'Who are you?')
  const later = page.getByText('Close this tab in the middle')
  while ((await later.count()) === 0) await page.clock.runFor(100)
  await page.clock.resume()
  await page.reload()
  await page.getByText('I only know shopping').waitFor()
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByText(/This was message \d+ of ours/).waitFor()
})

it('is accessible, and complains of nothing', async () => {
  const page = await open()
  await page.getByText('Who are you?').waitFor()
  await page.addScriptTag({ path: axe })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const violations = await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))')
    expect(violations, colorScheme).toEqual([])
  }
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(complaints).toEqual([])
})
