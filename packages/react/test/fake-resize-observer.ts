const observers = new Set<FakeResizeObserver>()

/** jsdom lays nothing out: a test says when something has another size. */
export class FakeResizeObserver {
  readonly #callback: () => void

  constructor(callback: () => void) {
    this.#callback = callback
  }

  observe(): void {
    observers.add(this)
  }

  disconnect(): void {
    observers.delete(this)
  }

  static resized(): void {
    for (const observer of observers) observer.#callback()
  }
}
