import { act, type ReactNode, StrictMode } from 'react'
import { createRoot, hydrateRoot, type Root } from 'react-dom/client'

export interface Rendered {
  readonly container: HTMLElement
  /** What is shown, as text. */
  readonly text: string
  rerender(element: ReactNode): void
  unmount(): void
}

const mounted = new Set<Root>()

/** Set for a whole run of the tests. */
const isStrict = process.env.STEPWELL_STRICT_MODE !== undefined

/** How often React calls a component for one render. */
export const CALLS_A_RENDER = isStrict ? 2 : 1

export function render(element: ReactNode): Rendered {
  const container = document.body.appendChild(document.createElement('div'))
  const root = createRoot(container)
  act(() => root.render(moded(element)))
  return rendered(root, container)
}

export function renderStrict(element: ReactNode): Rendered {
  return render(<StrictMode>{element}</StrictMode>)
}

/** Into what a server rendered. */
export function hydrate(html: string, element: ReactNode): Rendered {
  const container = document.body.appendChild(document.createElement('div'))
  container.innerHTML = html
  let root: Root | undefined
  act(() => {
    root = hydrateRoot(container, moded(element))
  })
  return rendered(root as Root, container)
}

export function unmountAll(): void {
  for (const root of mounted) act(() => root.unmount())
  mounted.clear()
  if (typeof document !== 'undefined') document.body.innerHTML = ''
}

/** Until nothing more happens by itself, with what React does about it. */
export async function settled(): Promise<void> {
  await act(async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  })
}

/** As soon as it holds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await act(() => new Promise<void>((resolve) => setImmediate(resolve)))
}

/** What a hook gave, and how often its component was rendered. */
export class Seen<T> {
  #calls = 0
  #last: { readonly value: T } | undefined

  get current(): T {
    if (this.#last === undefined) throw new Error('Nothing was rendered yet.')
    return this.#last.value
  }

  get renders(): number {
    return this.#calls / CALLS_A_RENDER
  }

  note(value: T): void {
    this.#calls++
    this.#last = { value }
  }
}

interface ProbeProps<T> {
  readonly useIt: () => T
  readonly seen: Seen<T>
}

export function Probe<T>({ useIt, seen }: ProbeProps<T>): null {
  seen.note(useIt())
  return null
}

function moded(element: ReactNode): ReactNode {
  return isStrict ? <StrictMode>{element}</StrictMode> : element
}

function rendered(root: Root, container: HTMLElement): Rendered {
  mounted.add(root)
  return {
    container,
    get text() {
      return container.textContent ?? ''
    },
    rerender: (element) => act(() => root.render(moded(element))),
    unmount: () => {
      mounted.delete(root)
      act(() => root.unmount())
    },
  }
}
