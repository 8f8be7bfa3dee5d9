import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltStorybook, entriesOfBuild, openBuild } from './built-storybook.ts'

const DESKTOP = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
const LOOKS = [
  { name: 'desktop-light', size: DESKTOP, colorScheme: 'light' },
  { name: 'desktop-dark', size: DESKTOP, colorScheme: 'dark' },
  { name: 'phone-dark', size: PHONE, colorScheme: 'dark' },
  { name: 'phone-light', size: PHONE, colorScheme: 'light' },
] as const

/** Where pictures are put, for people to look at. */
const { STEPWELL_SHOTS: shots } = process.env

const entries = await entriesOfBuild()
const stories = entries.filter(({ type }) => type === 'story')
const [first, ...pages] = entries.filter(({ type }) => type === 'docs')

let storybook: BuiltStorybook
beforeAll(async () => {
  if (first === undefined) throw new Error('There is no page of words to begin with.')
  storybook = await openBuild(first)
  if (shots !== undefined) await mkdir(shots, { recursive: true })
})
afterAll(() => storybook?.close())

test('every hook has its page', async () => {
  const guides = await readdir(new URL('../../../docs/hooks', import.meta.url))
  const titles = pages.map(({ title }) => title)
  expect(titles.toSorted()).toEqual(guides.map((guide) => `Hooks/${guide.replace('.md', '')}`).toSorted())
})

test('nothing is said before anything is shown', () => {
  expect(storybook.complaints()).toEqual([])
})

test.each(stories)('$title / $name: plays, complains of nothing, and is accessible in every look', async (story) => {
  const { page } = storybook
  await page.setViewportSize(DESKTOP)
  expect(await storybook.show(story)).toEqual({ status: 'success', errors: [] })
  for (const { name, size, colorScheme } of LOOKS) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    if (shots !== undefined) await page.screenshot({ path: join(shots, `${story.id}.${name}.png`) })
    expect(await storybook.violations(), name).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${name} is not too wide`).toBe(size.width)
  }
  expect(storybook.complaints()).toEqual([])
})

test.each(pages)('$title: the page is there', async (entry) => {
  expect(await storybook.show(entry)).toEqual({ status: 'success', errors: [] })
  await storybook.page.getByRole('heading', { level: 1 }).first().waitFor()
  expect(storybook.complaints()).toEqual([])
})
