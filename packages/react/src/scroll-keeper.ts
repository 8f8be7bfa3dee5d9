/** How near to its end a transcript counts as being at the end, CSS pixels. */
const NEAR = 64

const KEYS_UP = ['PageUp', 'Home', 'ArrowUp']

export interface ScrollKeeperOptions {
  readonly viewport: HTMLElement
  readonly content: HTMLElement
  /** Told whenever it begins or ceases to follow the end. */
  onFollow(isFollowing: boolean): void
}

/**
 * Keeps the scroll position of a transcript: at its end for as long as the person wants to be there, at a message that
 * was put at the top, or else where the person left it.
 */
export class ScrollKeeper {
  #isFollowing = true
  /** A message that is to be at the top, as soon as there is room for that. */
  #top: HTMLElement | undefined
  /** A pointer is down: it may have the scrollbar. */
  #isHeld = false
  #lastTop = 0
  #lastHeight = 0
  #lastWindow = 0
  readonly #options: ScrollKeeperOptions

  constructor(options: ScrollKeeperOptions) {
    this.#options = options
  }

  /** Begins. Returns the end of it. */
  observe(): () => void {
    const { viewport, content } = this.#options
    const resized = new ResizeObserver(() => this.settle())
    resized.observe(viewport)
    resized.observe(content)
    const listeners: [string, (event: Event) => void][] = [
      ['scroll', () => this.#scrolled()],
      ['wheel', (event) => (event as WheelEvent).deltaY < 0 && this.leave()],
      ['touchmove', () => this.leave()],
      ['keydown', (event) => KEYS_UP.includes((event as KeyboardEvent).key) && this.leave()],
      // What is clicked may unfold: the place that was clicked has to stay.
      ['pointerdown', () => this.#hold()],
    ]
    const letGo = (): void => {
      this.#isHeld = false
    }
    for (const type of ['pointerup', 'pointercancel']) window.addEventListener(type, letGo, { passive: true })
    for (const [type, listener] of listeners) viewport.addEventListener(type, listener, { passive: true })
    this.settle()
    return () => {
      resized.disconnect()
      for (const [type, listener] of listeners) viewport.removeEventListener(type, listener)
      for (const type of ['pointerup', 'pointercancel']) window.removeEventListener(type, letGo)
    }
  }

  /** To the end, and along with it from now on. */
  toEnd(behavior: ScrollBehavior): void {
    const { viewport } = this.#options
    this.#top = undefined
    this.#follow(true)
    viewport.scrollTo({ top: viewport.scrollHeight, behavior })
  }

  /** To a message, which stays at the top while what follows it grows. */
  toTop(message: HTMLElement): void {
    this.#top = message
    this.#follow(false)
    this.settle()
  }

  /** The content has another size. */
  settle(): void {
    const { viewport } = this.#options
    if (this.#top !== undefined) viewport.scrollTop += offset(this.#top, viewport)
    else if (this.#isFollowing) viewport.scrollTop = viewport.scrollHeight
    this.#note()
  }

  /** Something was put before the first message: what was in sight stays in sight. */
  prepended(): void {
    const { viewport } = this.#options
    if (!this.#isFollowing) viewport.scrollTop = this.#lastTop + viewport.scrollHeight - this.#lastHeight
    this.settle()
  }

  leave(): void {
    const { viewport } = this.#options
    this.#release()
    if (viewport.scrollHeight > viewport.clientHeight) this.#follow(false)
  }

  #scrolled(): void {
    const { viewport } = this.#options
    const { scrollTop, scrollHeight, clientHeight } = viewport
    // With another size the browser moved, not the person: what shrinks, if only for a moment, takes its end along.
    const isSameSize = scrollHeight === this.#lastHeight && clientHeight === this.#lastWindow
    const isUp = scrollTop < this.#lastTop && (isSameSize || this.#isHeld)
    const isNear = scrollHeight - scrollTop - clientHeight <= NEAR
    if (isUp) this.leave()
    else if (isNear && scrollTop > this.#lastTop && this.#top === undefined) this.#follow(true)
    this.#note()
  }

  #hold(): void {
    this.#isHeld = true
    this.#release()
  }

  #release(): void {
    this.#top = undefined
  }

  #follow(isFollowing: boolean): void {
    if (this.#isFollowing === isFollowing) return
    this.#isFollowing = isFollowing
    this.#options.onFollow(isFollowing)
  }

  #note(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#options.viewport
    this.#lastTop = scrollTop
    this.#lastHeight = scrollHeight
    this.#lastWindow = clientHeight
  }
}

function offset(message: HTMLElement, viewport: HTMLElement): number {
  return message.getBoundingClientRect().top - viewport.getBoundingClientRect().top
}
