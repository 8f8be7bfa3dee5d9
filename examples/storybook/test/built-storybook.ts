import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { listen, type Played } from './storybook.page.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const BUILT = join(ROOT, 'examples/storybook/dist')
const AXE = join(ROOT, 'node_modules/axe-core/axe.min.js')

/** Never asked for over the network: every request is answered from the build. */
const ORIGIN = 'https://storybook.test'

export interface Entry {
  readonly id: string
  readonly title: string
  readonly name: string
  readonly type: 'story' | 'docs'
}

export interface BuiltStorybook {
  readonly page: Page
  /** What its console said since it was asked last. */
  complaints(): readonly string[]
  /** Shows a story or a page, and what became of its play function. */
  show(entry: Entry): Promise<Played>
  /** What axe finds wrong in it, one line for each element. */
  violations(): Promise<readonly string[]>
  close(): Promise<void>
}

/** All stories and pages of the build. */
export async function entriesOfBuild(): Promise<readonly Entry[]> {
  const { entries } = JSON.parse(await readFile(join(BUILT, 'index.json'), 'utf8'))
  return Object.values(entries)
}

/** The preview of the build in Chromium, at the page that `first` is. What is shown next needs no reload. */
export async function openBuild(first: Entry): Promise<BuiltStorybook> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/chromium.mjs')])
  const browser = await chromium.launch({ executablePath: stdout.trim() })
  const page = await browser.newPage({ reducedMotion: 'reduce' })
  await page.route('**', async (route) => {
    const file = join(BUILT, new URL(route.request().url()).pathname)
    await (existsSync(file) ? route.fulfill({ path: file }) : route.fulfill({ status: 404 }))
  })
  let complaints: string[] = []
  page.on('console', (said) => {
    if (said.type() === 'error' || said.type() === 'warning') complaints.push(said.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.addInitScript(listen)
  // Axe is run here, at every width and in both themes: the addon need not run it before that.
  await page.goto(`${ORIGIN}/iframe.html?id=${first.id}&viewMode=${first.type}&globals=a11y.manual:!true`)
  await page.evaluate(() => window.storybook.firstShown)
  await page.addScriptTag({ path: AXE })
  return {
    page,
    complaints() {
      const said = complaints
      complaints = []
      return said
    },
    show: ({ id, type }) => page.evaluate(([id, type]) => window.storybook.show(id, type), [id, type] as const),
    violations: () =>
      page.evaluate(async () => {
        const { violations } = await window.axe.run('#storybook-root')
        return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
      }),
    close: () => browser.close(),
  }
}
