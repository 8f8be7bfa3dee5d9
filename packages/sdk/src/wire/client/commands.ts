import type { Command, Receipt } from '../../protocol/commands.ts'
import { WireError } from '../../protocol/errors.ts'
import type { Http } from './http.ts'

type Sent<C> = C extends { readonly id: string }
  ? { readonly id: string } & { readonly [K in keyof C as Exclude<K, 'at' | 'by'>]: C[K] | undefined }
  : never

/** A command as it is sent: when and who are the server's to say. What is undefined is left out. */
export type SentCommand = Sent<Command>

/**
 * Makes and sends a session's commands one after another: they arrive in the order in which they were given. Resolves with the
 * receipt, a refusal's too. A command that may not have arrived is sent again under its id; rejects with
 * `wire.unreachable` when that did not help, and with the server's error.
 */
export function commandQueue(
  http: Http,
  session: { readonly path: string; load(): Promise<void>; expect(commandId: string): void },
): (command: () => SentCommand | Promise<SentCommand>) => Promise<Receipt> {
  let last: Promise<unknown> = Promise.resolve()

  async function send(command: SentCommand): Promise<Receipt> {
    await session.load()
    if (command.type === 'input' || command.type === 'continue') session.expect(command.id)
    const answer = (await http.ask('POST', `${session.path}/commands`, command)) as { receipt?: Receipt } | null
    if (answer?.receipt === undefined) throw new WireError('wire.protocol', 'The answer is no receipt.')
    return answer.receipt
  }

  return (command) => {
    const receipt = last.then(command).then(send)
    last = receipt.catch(() => {})
    return receipt
  }
}
