/** Tells other tabs that this page lives: a Web Lock that the browser takes away when the page goes, however it goes. */
export interface Holder {
  /** Absent where there are no Web Locks. */
  readonly lock?: string
  leave(): void
}

export async function becomeHolder(database: string): Promise<Holder> {
  const locks = globalThis.navigator?.locks
  if (!locks) return { leave() {} }
  const lock = `stepwell:${database}:${crypto.randomUUID()}`
  let leave = () => {}
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const isHeld = await new Promise<boolean>((resolve) => {
    const hold = () => {
      resolve(true)
      return left
    }
    locks.request(lock, hold).catch(() => resolve(false))
  })
  return isHeld ? { lock, leave } : { leave }
}

/** The locks held now in any tab; undefined where that is unknown. */
export async function heldLocks(): Promise<ReadonlySet<string> | undefined> {
  try {
    const { held } = (await globalThis.navigator?.locks?.query()) ?? {}
    return held && new Set(held.flatMap(({ name }) => name ?? []))
  } catch {
    return undefined
  }
}
