import type { Clock } from '../protocol/clock.ts'

/** Waits for the work, at most so many ms. A `background` wait does not keep the process alive. */
export async function within(
  clock: Clock,
  ms: number,
  work: Promise<unknown>,
  options?: { readonly background: boolean },
): Promise<void> {
  let cancel = (): void => {}
  const late = new Promise<void>((resolve) => {
    cancel = clock.setTimer(resolve, ms, options)
  })
  await Promise.race([work, late]).finally(() => cancel())
}
