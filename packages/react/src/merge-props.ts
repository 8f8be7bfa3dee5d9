import type { SyntheticEvent } from 'react'

type Handler<E> = ((event: E) => void) | undefined

/** The app's handler first; ours unless it called `preventDefault()`. */
export function afterOwn<E extends SyntheticEvent>(own: Handler<E>, ours: (event: E) => void): (event: E) => void {
  return (event) => {
    own?.(event)
    if (!event.defaultPrevented) ours(event)
  }
}
