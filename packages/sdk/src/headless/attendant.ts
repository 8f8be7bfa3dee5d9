import type { Receipt } from '../protocol/commands.ts'
import { errorInfo, InputError } from '../protocol/errors.ts'
import type { AgentSession } from '../protocol/session.ts'
import type { SessionState } from '../protocol/state.ts'
import { unanswered } from '../protocol/unanswered.ts'
import type { HeadlessCommand, NumberedCommand } from './commands.ts'
import type { HeadlessReceipt } from './records.ts'

const NOBODY = 'Nobody is there to be asked.'

/** Hands in what is said while a run is open, one line after the other. */
export class Attendant {
  readonly #session: AgentSession
  readonly #report: (receipt: HeadlessReceipt) => Promise<void>
  #busy: Promise<void> = Promise.resolve()
  #isOver = false
  #started: string | undefined
  #leave = (): void => {}

  constructor(session: AgentSession, report: (receipt: HeadlessReceipt) => Promise<void>) {
    this.#session = session
    this.#report = report
  }

  /** Reads until there are no more lines, or nothing is open any more. */
  async read(lines: AsyncIterable<NumberedCommand>): Promise<void> {
    for await (const line of lines) {
      if (this.#isOver) return
      await this.take(line)
    }
    this.refuseRequests()
  }

  take(line: NumberedCommand): Promise<void> {
    this.#busy = this.#carryOut(line).then(this.#report)
    return this.#busy
  }

  /** From here on nobody is there to answer: what is asked is refused. */
  refuseRequests(): void {
    if (this.#isOver) return
    const refused = new Set<string>()
    const refuse = ({ pending }: SessionState): void => {
      for (const { id, kind } of pending.requests) {
        if (refused.has(id)) continue
        refused.add(id)
        // Somebody else may have been faster, and then that answer stands.
        this.#session.resolve(id, unanswered(kind, NOBODY)).catch(() => {})
      }
    }
    this.#leave()
    this.#leave = this.#session.subscribe(refuse)
    refuse(this.#session.state)
  }

  /** A run has ended. Gives the one that follows it: of a steer that came too late, or of an input that was queued. */
  async next(endedId: string): Promise<string | undefined> {
    let busy: Promise<void> | undefined
    while (busy !== this.#busy) {
      busy = this.#busy
      await busy
    }
    const next = this.#started ?? this.#session.state.run?.id
    this.#started = undefined
    return next === endedId ? undefined : next
  }

  end(): void {
    this.#isOver = true
    this.#leave()
  }

  async #carryOut({ line, read }: NumberedCommand): Promise<HeadlessReceipt> {
    try {
      const receipt = await this.#handIn(read())
      if (receipt.status === 'started') this.#started = receipt.runId
      return { type: 'receipt', line, ...receipt }
    } catch (thrown) {
      return { type: 'receipt', line, status: 'refused', error: errorInfo(thrown) }
    }
  }

  #handIn(command: HeadlessCommand): Promise<Receipt> {
    const options = command.id === undefined ? {} : { commandId: command.id }
    switch (command.type) {
      case 'input':
        if (command.options) throw new InputError('input.invalid', 'The run has begun: "options" come too late.')
        return this.#session.send(command.input, options)
      case 'resolve':
        return this.#session.resolve(command.requestId, command.resolution, options)
      case 'abort':
        return this.#session.abort(undefined, options)
    }
  }
}
