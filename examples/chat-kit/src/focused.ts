/** A `ref` of what gets the focus as it appears: a function made anew in each render would take it again each time. */
export function focused(element: HTMLElement | null): void {
  element?.focus()
}
