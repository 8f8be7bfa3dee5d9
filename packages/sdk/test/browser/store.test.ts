import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSeq } from '../../src/protocol/seq.ts'
import { startBrowser, type Tab, type TestBrowser } from '../fixtures/browser.ts'
import * as inPage from './store.page.ts'

type Functions = typeof inPage

let browser: TestBrowser<Functions>
let tab: Tab<Functions>

beforeAll(async () => {
  browser = await startBrowser<Functions>(new URL('./store.page.ts', import.meta.url))
  tab = await browser.open()
})

afterAll(() => browser?.close())

it.each(inPage.ruleNames())('%s', (name) => tab.call('runRule', name))

describe('two tabs', () => {
  it('the other tab waits while the owner lives, and takes over at once when it is gone', async () => {
    const owner = await browser.open()
    await owner.call('take', 'left')
    await owner.call('openRun', 'left')
    expect(await tab.call('takeFromOther', 'left')).toBe('session.busy, retryable')
    expect(await tab.call('due')).not.toContain('left')
    await owner.page.close()
    await expect.poll(() => tab.call('due')).toContain('left')
    expect(await tab.call('takeFromOther', 'left')).toBe('ok')
  })

  it('take over at once from one that crashed', async () => {
    const owner = await browser.open()
    await owner.call('take', 'crashed')
    const protocol = await browser.protocol(owner.page)
    const crashed = owner.page.waitForEvent('crash')
    // The page dies before it can answer this.
    protocol.send('Page.crash').catch(() => {})
    await crashed
    await expect.poll(() => tab.call('takeFromOther', 'crashed')).toBe('ok')
  })

  it('without Web Locks a lease has to run out', async () => {
    const owner = await browser.open()
    await owner.page.evaluate("Object.defineProperty(navigator, 'locks', { value: undefined })")
    await owner.call('take', 'unlocked')
    await owner.page.close()
    const late = await browser.open()
    expect(await late.call('takeFromOther', 'unlocked')).toBe('session.busy, retryable')
    await late.page.close()
  })

  it('race for a session, and one of all attempts gets it', async () => {
    const other = await browser.open()
    const wins = await Promise.all([tab.call('race', 'raced', 'a', 20), other.call('race', 'raced', 'b', 20)])
    expect(wins[0] + wins[1]).toBe(1)
    await other.page.close()
  })
})

describe('a database that cannot be used', () => {
  it('of another application is left alone', async () => {
    await tab.call('makeForeign', 'diary')
    expect(await tab.call('ask', 'diary')).toBe('store.not-a-database')
    expect(await tab.call('foreignEntries', 'diary')).toEqual({ stores: ['diary'], entries: ['Dear diary'] })
  })

  it('makes way for a newer version of the library, and is refused from then on', async () => {
    const old = await browser.open()
    expect(await old.call('ask', 'upgraded')).toBe('ok')
    await tab.call('upgrade', 'upgraded')
    expect(await old.call('ask', 'upgraded')).toBe('protocol.too-new')
    await old.page.close()
  })

  it('is locked while an older tab does not make way, never hangs', async () => {
    expect(await tab.call('upgradeBeside', 'beside')).toEqual(['store.locked, retryable', 'ok'])
  })

  it.each([
    ['that is sandboxed, as in some private windows', 'https://stepwell.test/?policy=sandbox%20allow-scripts'],
    ['that came over plain http', 'http://stepwell.test/'],
  ])('is unavailable in a page %s', async (_, url) => {
    const page = await browser.open(url)
    expect(await page.call('ask', 'any')).toBe('store.unavailable')
    await page.page.close()
  })

  it('is unavailable where there is no IndexedDB', async () => {
    const page = await browser.open()
    expect(await page.call('askWithoutIndexedDB')).toBe('store.unavailable')
    await page.page.close()
  })
})

it('is full when the browser gives no more room, and keeps what it has', async () => {
  const page = await browser.open('https://full.test')
  const protocol = await browser.protocol(page.page)
  const origin = 'https://full.test'
  await protocol.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 2_000_000 })
  await page.call('take', 's')
  expect(await page.call('appendNote', 's', 1, 100)).toBe('ok')
  expect(await page.call('appendNote', 's', 2, 4_000_000)).toBe('store.full')
  expect(await page.call('stored', 's')).toEqual({ seqs: [1, makeSeq(1, 1)], receipts: ['c1'] })
  await protocol.send('Storage.overrideQuotaForOrigin', { origin })
  expect(await page.call('appendNote', 's', 3, 4_000_000)).toBe('ok')
  await page.page.close()
})

it('opens the database again when the site data was cleared', async () => {
  const page = await browser.open('https://cleared.test')
  await page.call('take', 's')
  const protocol = await browser.protocol(page.page)
  await protocol.send('Storage.clearDataForOrigin', { origin: 'https://cleared.test', storageTypes: 'indexeddb' })
  await expect.poll(() => page.call('askAgain')).toBe('ok')
  expect(await page.call('appendNote', 's', 1, 10)).toBe('session.not-found')
  await page.page.close()
})

it('keeps the order of commands that are posted at once', async () => {
  expect(await tab.call('postAtOnce', 'posted')).toEqual(['c0', 'c1', 'c2', 'c3'])
})

it('loses to garbage in one entry that entry and nothing else', async () => {
  expect(await tab.call('withGarbage')).toEqual({
    seqs: [1, makeSeq(1, 3)],
    reported: [makeSeq(1, 1), makeSeq(1, 2)],
    snapshot: 'none',
    commands: ['c2'],
    receipt: 'store.corrupt',
  })
})
