import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SessionState } from '../../src/protocol/state.ts'
import { messageText } from '../../src/protocol/text.ts'
import { startBrowser, type TestBrowser } from '../fixtures/browser.ts'
import type * as inPage from './agent.page.ts'

type Functions = typeof inPage

let browser: TestBrowser<Functions>

beforeAll(async () => {
  browser = await startBrowser<Functions>(new URL('./agent.page.ts', import.meta.url))
})

afterAll(() => browser?.close())

/** Who said what, whole messages and the one being said. */
function said(state: SessionState | undefined): string[] {
  const messages = state ? [...state.history, ...(state.pending.message ? [state.pending.message] : [])] : []
  return messages.map((message) => `${message.role}: ${messageText(message)}`)
}

/** `live` is what only those saw who watched. */
function withoutLive(state: SessionState | undefined): Partial<SessionState> {
  const { live: _live, ...rest } = state ?? {}
  return rest
}

const talk = ['user: Buy milk.', 'assistant: I will buy milk.', 'assistant: The milk is']

it('an agent wholly in the page outlives a reload in the middle of a reply: nothing is lost or done twice', async () => {
  const tab = await browser.open()
  await tab.call('begin')
  await expect.poll(async () => (await tab.call('look')).types.at(-1), { timeout: 10_000 }).toBe('text-delta')
  expect(said((await tab.call('look')).shown)).toEqual(talk)

  const other = await browser.open()
  await other.call('reopen')
  expect(said((await other.call('look')).shown), 'a second tab shows the same').toEqual(talk)
  expect(await other.call('rename', 'Milk'), 'and asks the first one by the inbox').toBe('done')
  expect((await tab.call('look')).shown).toMatchObject({ status: 'running', row: { title: 'Milk' } })
  await other.page.close()

  await tab.page.reload()
  await tab.call('reopen')
  const reopened = await tab.call('look')
  expect(said(reopened.shown)).toEqual(talk)
  expect(reopened.shown).toMatchObject({
    status: 'idle',
    lastFinish: { reason: 'interrupted' },
    row: { title: 'Milk' },
  })
  expect(withoutLive(reopened.shown)).toEqual(withoutLive(reopened.folded))

  expect(await tab.call('goOn')).toBe('stop')
  const done = await tab.call('look')
  expect(said(done.shown)).toEqual([...talk, 'assistant: The milk is bought.'])
  expect(done.bought).toBe(1)

  const late = await browser.open()
  await late.call('reopen')
  expect(withoutLive((await late.call('look')).shown)).toEqual(withoutLive(done.shown))
})
