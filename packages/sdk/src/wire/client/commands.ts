import type { Command } from '../../protocol/commands.ts'

type Sent<C> = C extends { readonly id: string }
  ? { readonly id: string } & { readonly [K in keyof C as Exclude<K, 'at' | 'by'>]: C[K] | undefined }
  : never

/** A command as it is sent: when and who are the server's to say. What is undefined is left out. */
export type SentCommand = Sent<Command>
