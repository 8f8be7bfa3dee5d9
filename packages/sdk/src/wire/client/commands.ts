import type { Command, Receipt } from '../../protocol/commands.ts'
import { WireError } from '../../protocol/errors.ts'
import type { Feed } from './feed.ts'
import type { Http } from './http.ts'

type Without<C, K extends PropertyKey> = C extends unknown ? Omit<C, K> : never

/** A command as it is sent: when and who are the server's to say. */
export type SentCommand = Without<Command, 'at' | 'by'>

/** Sends a session's commands one after another: they arrive in the order in which they were given. */
export class CommandQueue {
  readonly #http: Http
  readonly #feed: Feed
  #last: Promise<unknown> = Promise.resolve()

  constructor(http: Http, feed: Feed) {
    this.#http = http
    this.#feed = feed
  }

  /**
   * Resolves with the receipt, a refusal's too. A command that may not have arrived is sent again under its id; rejects
   * with `wire.unreachable` when that did not help, and with the server's error.
   */
  submit(command: SentCommand | Promise<SentCommand>): Promise<Receipt> {
    const taken = Promise.resolve(command)
    taken.catch(() => {})
    const receipt = this.#last.then(async () => this.#send(await taken))
    this.#last = receipt.catch(() => {})
    return receipt
  }

  async #send(command: SentCommand): Promise<Receipt> {
    const feed = this.#feed
    await feed.load()
    if (command.type === 'input' || command.type === 'continue') {
      feed.expect(command.id)
    }
    const path = `/sessions/${encodeURIComponent(feed.id)}/commands`
    const answer = await this.#http.ask({ method: 'POST', path, json: command })
    const { receipt } = (answer ?? {}) as unknown as { receipt?: Receipt }
    if (receipt === undefined) throw new WireError('wire.protocol', 'The answer is no receipt.')
    return receipt
  }
}
