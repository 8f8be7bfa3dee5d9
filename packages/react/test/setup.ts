import { afterEach, beforeEach, expect, vi } from 'vitest'
import { FakeResizeObserver } from './fake-resize-observer.ts'
import { unmountAll } from './render.tsx'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
// Views publish at once: where frames matter a test brings its own.
vi.stubGlobal('requestAnimationFrame', undefined)
vi.stubGlobal('ResizeObserver', FakeResizeObserver)

const said = [vi.spyOn(console, 'error'), vi.spyOn(console, 'warn')]

beforeEach(() => {
  for (const spy of said) spy.mockClear()
})

/** React says there what is wrong with an update, an effect, a hydration: none of it may pass. */
afterEach(() => {
  unmountAll()
  expect(said.flatMap((spy) => spy.mock.calls)).toEqual([])
})
