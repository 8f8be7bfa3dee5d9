import type { SessionBus } from '../bus/bus.ts'
import type { SessionStore } from '../stores/store.ts'

/** A process that may die between any two of its steps. */
export interface Life {
  /** Steps taken so far. */
  readonly steps: number
  readonly isOver: boolean
  /** Settles when it dies. */
  readonly over: Promise<void>
  /** A step: true when the process lives on. */
  step(): boolean
  /** A step in asynchronous code, which never comes back to a dead process. */
  survive(): Promise<void>
}

/** Dies at the given step, counted from 1. Without one it lives, and counts. */
export function life(diesAt = Number.POSITIVE_INFINITY): Life {
  let steps = 0
  let end = (): void => {}
  const over = new Promise<void>((resolve) => {
    end = resolve
  })
  const self: Life = {
    get steps() {
      return steps
    },
    get isOver() {
      return steps >= diesAt
    },
    over,
    step() {
      if (!self.isOver) steps++
      if (self.isOver) end()
      return !self.isOver
    },
    survive: () => (self.step() ? Promise.resolve() : new Promise(() => {})),
  }
  return self
}

/** The store as that process sees it: it may die before an append is stored, and after it. The dead get no answers. */
export function mortalStore(store: SessionStore, life: Life): SessionStore {
  const living = async <T>(call: () => Promise<T>): Promise<T> => {
    if (!life.isOver) {
      const answer = await call()
      if (!life.isOver) return answer
    }
    return new Promise<never>(() => {})
  }
  return {
    ...store,
    get: (id) => living(() => store.get(id)),
    async acquire(id, options) {
      const lease = await living(() => store.acquire(id, options))
      const { generation, expiresAt, lost, release } = lease
      return { generation, expiresAt, lost, release, renew: () => living(() => lease.renew()) }
    },
    heads: (ids) => living(() => store.heads(ids)),
    post: (id, command) => living(() => store.post(id, command)),
    saveSnapshot: (id, snapshot) => living(() => store.saveSnapshot(id, snapshot)),
    async append(id, events, options) {
      await life.survive()
      await store.append(id, events, options)
      await life.survive()
    },
  }
}

/** The bus as that process sees it: it may die instead of publishing. */
export function mortalBus(bus: SessionBus, life: Life): SessionBus {
  return {
    ...bus,
    publish(sessionId, batch) {
      if (life.step()) bus.publish(sessionId, batch)
    },
    signal(sessionId) {
      if (!life.isOver) bus.signal(sessionId)
    },
  }
}
