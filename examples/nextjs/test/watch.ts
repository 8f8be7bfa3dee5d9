import type { BrowserContext, Page } from 'playwright-core'

/** How far a page may move by itself: the web’s limit for "good" is 0.1. */
const MAX_SHIFT = 0.02

/** Writes down what pages do that they should not. */
export class Watch {
  readonly complaints: string[] = []

  async over(context: BrowserContext): Promise<void> {
    await context.exposeBinding('noteShift', ({ page }, shift: number, moved: readonly string[]) => {
      if (shift > MAX_SHIFT) this.#complain(page, `moved by ${shift.toFixed(3)}: ${moved.join(', ')}`)
    })
    await context.addInitScript(watchShifts)
    context.on('page', (page) => {
      page.on('console', (said) => {
        if (said.type() === 'error' || said.type() === 'warning') this.#complain(page, said.text())
      })
      page.on('pageerror', (error) => this.#complain(page, String(error)))
    })
  }

  #complain(page: Page, text: string): void {
    this.complaints.push(`${new URL(page.url()).pathname}: ${text}`)
  }
}

declare function noteShift(shift: number, moved: readonly string[]): void

/**
 * Runs in the page: the layout shift of each burst, as Cumulative Layout Shift counts it. A burst is at most five seconds
 * long, and is over when nothing moved for one.
 */
function watchShifts(): void {
  let [shift, start, last] = [0, 0, 0]
  const moved: string[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, value, hadRecentInput, sources } of list.getEntries() as LayoutShift[]) {
      if (hadRecentInput) continue
      if (startTime - last > 1_000 || startTime - start > 5_000) {
        ;[shift, start, moved.length] = [0, startTime, 0]
      }
      last = startTime
      shift += value
      for (const { node } of sources) if (node instanceof Element) moved.push(`${node.tagName}.${node.className}`)
      noteShift(shift, moved)
    }
  })
  observer.observe({ type: 'layout-shift', buffered: true })
}

/** Not in TypeScript’s types of browsers yet. */
interface LayoutShift extends PerformanceEntry {
  readonly value: number
  readonly hadRecentInput: boolean
  readonly sources: readonly { readonly node: Node | null }[]
}
