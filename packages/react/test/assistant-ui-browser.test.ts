import { createAgent, defineTool, memoryStore, messageText } from '@stepwell/sdk'
import { createAgentServer } from '@stepwell/sdk/server'
import { type ScriptedReply, scriptedModel } from '@stepwell/sdk/testing'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startBrowser, type Tab, type TestBrowser } from '../../sdk/test/fixtures/browser.ts'
import { runGate } from '../../sdk/test/fixtures/run-gate.ts'
import { listen } from '../../sdk/test/fixtures/served.ts'
import type * as module from './assistant-ui-browser.page.tsx'

type Functions = typeof module
type Asked = Parameters<Extract<Parameters<typeof scriptedModel>[0][number], (...args: never[]) => unknown>>[0]

/** What the model waits for, if anything. */
const gate = runGate()

function reply({ messages }: Asked): ScriptedReply {
  const last = messages.at(-1)
  const said = messages.findLast(({ role }) => role === 'user')
  const text = said === undefined ? '' : messageText(said)
  const isFirst = last === said
  if (text === 'Weather?' && isFirst) return { reasoning: 'Hm.', text: 'Let me look.', calls: [{ name: 'weather' }] }
  if (text === 'Pay' && isFirst) return { text: 'May I?', calls: [{ name: 'pay' }] }
  if (text === 'Slowly') return { text: 'One two three.', beforeEnd: gate.pass }
  if (!isFirst) return { text: 'That is that.' }
  return { text: `You said ${text}` }
}

const input = { type: 'object' } as const
const agent = createAgent({
  model: scriptedModel([reply], { repeat: true }),
  store: memoryStore(),
  tools: [
    defineTool({ name: 'weather', description: '', effect: 'read', input, execute: () => ({ celsius: 4 }) }),
    defineTool({ name: 'pay', description: '', input, needsApproval: true, execute: () => 'paid' }),
  ],
})
const server = createAgentServer({ agent, authorize: () => ({ id: 'ada' }), basePath: '/agent' })

/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

let http: Awaited<ReturnType<typeof listen>>
let browser: TestBrowser<Functions>
let tab: Tab<Functions>
let page: Page
const said: string[] = []

beforeAll(async () => {
  http = await listen((request) => server.fetch(request))
  browser = await startBrowser<Functions>(new URL('./assistant-ui-browser.page.tsx', import.meta.url))
  tab = await browser.open(http.url)
  page = tab.page
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) said.push(message.text())
  })
  page.on('pageerror', (error) => said.push(String(error)))
  await page.route('**/agent/**', (route) => route.continue())
  await tab.call('mount')
}, 60_000)

afterEach(() => {
  expect(said.splice(0)).toEqual([])
})

afterAll(async () => {
  gate.open()
  await browser?.close()
  await http?.close()
  await agent.close()
})

const shows = (...messages: string[]) => expect.poll(() => tab.call('seen'), { timeout: 15_000 }).toEqual(messages)

const press = (name: string) => page.getByRole('button', { name, exact: true }).last().click()

async function write(text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
}

async function say(text: string): Promise<void> {
  await write(text)
  await page.keyboard.press('Enter')
}

/** A new thread, in which this was said. */
async function begin(text: string): Promise<void> {
  await press('New thread')
  await shows()
  await say(text)
}

it('sends, streams, and shows a call with its result', async () => {
  await begin('Weather?')
  await shows('user: Weather?', 'assistant: Hm. Let me look. [weather ok: {"celsius":4}] That is that.')
})

it.each([
  ['Allow once', '[pay ok: paid]'],
  ['Deny', '[pay error: Denied by the person, and not run. They say: Because.]'],
])('asks before a call: %s', async (decision, call) => {
  await begin('Pay')
  await shows('user: Pay', 'assistant: May I? [pay open]Allow onceDeny (requires-action)')
  await press(decision)
  await shows('user: Pay', `assistant: May I? ${call} That is that.`)
})

it('steers and queues while a run is open', async () => {
  gate.close()
  await begin('Slowly')
  await shows('user: Slowly', 'assistant: One two three. (running)')
  await say('Steered')
  const waiting = page.getByTestId('queue-item')
  await expect.poll(() => waiting.allInnerTexts()).toEqual([expect.stringContaining('Steered')])
  gate.open()
  await shows('user: Slowly', 'assistant: One two three.', 'user: Steered', 'assistant: You said Steered')
  await expect.poll(() => waiting.count()).toBe(0)
})

it('stops the run, and hands back what waited', async () => {
  gate.close()
  await begin('Slowly')
  await shows('user: Slowly', 'assistant: One two three. (running)')
  await say('Wait')
  await expect.poll(() => page.getByTestId('queue-item').count()).toBe(1)
  await press('Stop')
  await shows('user: Slowly', 'assistant: One two three. (incomplete)')
  await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('Wait')
  await write('')
})

it('sends a file as a blob, and shows it from there', async () => {
  await press('New thread')
  await shows()
  const chooser = page.waitForEvent('filechooser')
  await press('Attach')
  const file = { name: 'red.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') }
  await (await chooser).setFiles(file)
  await expect.poll(() => page.getByText('red.png').count()).toBe(1)
  await say('Look')
  await shows('user: <red.png 1px> Look', 'assistant: You said Look\n[image: red.png]')
  expect(await page.getByAltText('red.png').getAttribute('src')).toMatch(/^\/agent\/sessions\/.+\/blobs\//)
})

it('is loaded anew in the middle of a run, and has lost nothing', async () => {
  gate.close()
  await begin('Slowly')
  const begun = ['user: Slowly', 'assistant: One two three. (running)']
  await shows(...begun)
  await page.reload()
  await tab.call('mount')
  await shows(...begun)
  gate.open()
  await shows('user: Slowly', 'assistant: One two three.')
})

it('turns to another thread and back', async () => {
  await begin('First')
  await shows('user: First', 'assistant: You said First')
  const id = await page.evaluate(() => location.hash.slice(1))
  await begin('Second')
  await shows('user: Second', 'assistant: You said Second')
  await press(id)
  await shows('user: First', 'assistant: You said First')
})
