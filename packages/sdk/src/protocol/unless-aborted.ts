/** What the work comes to, or undefined as soon as the signal is aborted: then it is not waited for. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  let stop = (): void => {}
  const stopped = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined)
  })
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  work.catch(() => {})
  return Promise.race([work, stopped]).finally(() => signal.removeEventListener('abort', stop))
}
