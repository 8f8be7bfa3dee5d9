import type { Page } from 'playwright-core'

const MAX_STOPS = 80

/** What has the focus, by its name. Fails where a person could not see that. */
export async function focused(page: Page): Promise<string> {
  const { name, isSeen } = await page.evaluate(() => {
    const element = document.activeElement as HTMLElement
    // Between the last stop and the first one the browser's own are.
    if (element === document.body) return { name: '', isSeen: true }
    const labels = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.labels : null
    const name = element.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? element.textContent ?? ''
    // Where text is written the caret shows it; a box may draw the ring for what it holds.
    const hasCaret = element.matches('textarea, input:not([type]), input[type=search]')
    const isRinged = [element, element.parentElement].some(
      (box) => box && getComputedStyle(box).outlineStyle === 'solid',
    )
    const { width, height, top, bottom } = element.getBoundingClientRect()
    return { name, isSeen: (hasCaret || isRinged) && width > 0 && height > 0 && top < innerHeight && bottom > 0 }
  })
  if (!isSeen) throw new Error(`The focus is on "${name}", and cannot be seen there.`)
  return name.trim()
}

/** Presses Tab, or Shift+Tab, until this has the focus. Every stop on the way has to be seen. */
export async function tabTo(page: Page, wanted: string | RegExp, way: 'on' | 'back' = 'on'): Promise<void> {
  const passed: string[] = []
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    await page.keyboard.press(way === 'on' ? 'Tab' : 'Shift+Tab')
    const name = await focused(page)
    if (typeof wanted === 'string' ? name === wanted : wanted.test(name)) return
    passed.push(name)
  }
  throw new Error(`The keyboard does not lead to ${wanted}: ${passed.join(' → ')}`)
}
