import type { AgentEvent } from '../../protocol/events.ts'

/** Ids remembered. */
const KEPT = 2_000

/** Where runs and inputs begin, as far as it was seen here: one that is followed need not be looked for in the whole log. */
export class RunStarts {
  /** The seq at and below which there is nothing of the id. Undefined while everything is watched and nothing was seen. */
  readonly #after = new Map<string, number | undefined>()

  /** They are asked for now: nothing of them is in what was read. */
  expect(ids: readonly string[]): void {
    for (const id of ids) if (!this.knows(id)) this.#set(id, undefined)
  }

  knows(id: string): boolean {
    return this.#after.has(id)
  }

  /** It may have begun anywhere. */
  forget(id: string): void {
    this.#after.delete(id)
  }

  /** What was expected under one id has another. */
  rename(id: string, to: string): void {
    if (this.knows(id) && !this.knows(to)) this.#set(to, this.#after.get(id))
  }

  note(events: readonly AgentEvent[]): void {
    for (const event of events) {
      if (event.type === 'input') this.#begins(event.inputId, event.seq)
      if (isStart(event) && event.runId !== undefined) this.#begins(event.runId, event.seq)
    }
  }

  /** Events above this seq were left out. */
  jumped(seq: number): void {
    for (const [id, after] of this.#after) if (after === undefined) this.#after.set(id, seq)
  }

  /** The seq above which everything of this run or input is, for a reader that has seen the session up to `cursor`. */
  after(id: string, cursor: number): number {
    return this.#after.get(id) ?? (this.knows(id) ? cursor : 0)
  }

  #begins(id: string, seq: number): void {
    if (this.#after.get(id) === undefined) this.#set(id, seq - 1)
  }

  #set(id: string, after: number | undefined): void {
    this.#after.set(id, after)
    if (this.#after.size <= KEPT) return
    const [oldest] = this.#after.keys()
    if (oldest !== undefined) this.forget(oldest)
  }
}

/** A run begins with the input it was started by, or else with its `run-start`. */
export function isStart(event: AgentEvent): boolean {
  return event.type === 'run-start' || (event.type === 'input' && event.lane === 'start')
}
