/**
 * Lets tasks in, in the order they ask: parallel ones together up to a limit, any other alone. A task that runs alone
 * waits for those before it and holds back those after it.
 */
export interface Gate {
  run<T>(parallel: boolean, task: () => Promise<T>): Promise<T>
}

/** `limit`: how many parallel tasks run at once. */
export function callGate(limit = 8): Gate {
  const waiting: { readonly parallel: boolean; readonly start: () => void }[] = []
  let running = 0
  let alone = false

  function letIn(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (alone || (next.parallel ? running >= limit : running > 0)) return
      waiting.shift()
      running++
      alone = !next.parallel
      next.start()
    }
  }

  function leave(): void {
    running--
    alone = false
    letIn()
  }

  return {
    async run(parallel, task) {
      await new Promise<void>((start) => {
        waiting.push({ parallel, start })
        letIn()
      })
      try {
        return await task()
      } finally {
        leave()
      }
    },
  }
}

export interface ScheduledCall<R> {
  readonly parallel: boolean
  run(): Promise<R>
  /** The call was let through the gate before: this is its result. */
  readonly started?: Promise<R>
  /** It may not start before this settles, and holds back no other call until then. */
  readonly held?: Promise<unknown>
}

/**
 * Runs the calls of one message. `onResult` is told of each as it finishes; all results come back in call order.
 *
 * A call that rejects, or an `onResult` that throws, harms no other call: it is thrown when all have finished.
 */
export async function runCalls<R>(
  gate: Gate,
  calls: readonly ScheduledCall<R>[],
  onResult: (result: R, index: number) => void = () => {},
): Promise<R[]> {
  const settled = await Promise.allSettled(
    calls.map(async (call, index) => {
      const result = await (call.started ?? start(gate, call))
      onResult(result, index)
      return result
    }),
  )
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

async function start<R>(gate: Gate, call: ScheduledCall<R>): Promise<R> {
  if (call.held !== undefined) await Promise.allSettled([call.held])
  return gate.run(call.parallel, () => call.run())
}
