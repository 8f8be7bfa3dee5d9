import type { AgentEvent } from '../../protocol/events.ts'

/** Ids remembered. */
const KEPT = 2_000

/** Where runs and inputs begin, as far as it was seen here: one that is followed need not be looked for in the whole log. */
export class RunStarts {
  /** Nothing of the id is at or below its seq. */
  readonly #after = new Map<string, number>()
  /** Ids of which nothing was seen yet, though everything was watched. */
  readonly #awaited = new Set<string>()

  /** What is asked for now will cause nothing at or below `seq`. */
  expect(ids: readonly string[], seq: number): void {
    for (const id of ids) {
      if (this.#after.has(id)) continue
      this.#set(id, seq)
      this.#awaited.add(id)
    }
  }

  knows(id: string): boolean {
    return this.#after.has(id)
  }

  /** It may have begun anywhere. */
  forget(id: string): void {
    this.#after.delete(id)
    this.#awaited.delete(id)
  }

  /** What was expected under one id has another. */
  rename(id: string, to: string): void {
    const after = this.#after.get(id)
    if (after === undefined || this.#after.has(to)) return
    this.#set(to, after)
    if (this.#awaited.has(id)) this.#awaited.add(to)
  }

  note(events: readonly AgentEvent[]): void {
    for (const event of events) {
      if (event.type === 'input') this.#begins(event.inputId, event.seq)
      if (isStart(event) && event.runId !== undefined) this.#begins(event.runId, event.seq)
    }
  }

  /** Events were left out. */
  jumped(): void {
    this.#awaited.clear()
  }

  /** The seq above which everything of this run or input is, for a reader that has seen the session up to `cursor`. */
  after(id: string, cursor: number): number {
    return this.#awaited.has(id) ? cursor : (this.#after.get(id) ?? 0)
  }

  #begins(id: string, seq: number): void {
    if (this.#awaited.delete(id) || !this.#after.has(id)) this.#set(id, seq - 1)
  }

  #set(id: string, seq: number): void {
    this.#after.set(id, seq)
    if (this.#after.size <= KEPT) return
    const [oldest] = this.#after.keys()
    if (oldest !== undefined) this.forget(oldest)
  }
}

/** A run begins with the input it was started by, or else with its `run-start`. */
export function isStart(event: AgentEvent): boolean {
  return event.type === 'run-start' || (event.type === 'input' && event.lane === 'start')
}
