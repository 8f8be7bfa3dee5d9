import type { AGUIContentPart, AGUIMessage } from './events.ts'
import { sameArguments } from './tool-calls.ts'

/** A message as a client sent it. Whatever else it has is no business of ours. */
export interface ClientMessage {
  readonly id: string
  readonly role: string
  readonly content?: unknown
  readonly toolCallId?: string | undefined
  readonly error?: string | undefined
  readonly toolCalls?: unknown
}

export type UserContent = string | readonly AGUIContentPart[]

/** A tool's result that a client sent, perhaps its own. */
export interface ClientResult {
  readonly content: string
  readonly error?: string
}

interface ClientReply {
  readonly content: string
  /** Name and arguments by call id. */
  readonly calls: ReadonlyMap<string, { readonly name: string; readonly arguments: string }>
}

/** What a client has: it posts all of it with every run. Believed in nothing but what it shows, and what is new in it. */
export class ClientTranscript {
  readonly users = new Map<string, UserContent>()
  readonly assistants = new Map<string, ClientReply>()
  /** By call id. */
  readonly results = new Map<string, ClientResult>()
  readonly reasoning = new Set<string>()
  /** Ids of what was said after the last reply, oldest first. */
  readonly trailing: readonly string[]

  constructor(messages: readonly ClientMessage[]) {
    let trailing: string[] = []
    for (const message of messages) {
      const { id, role, content, toolCallId, error } = message
      if (role === 'user') {
        this.users.set(id, typeof content === 'string' || Array.isArray(content) ? content : '')
        trailing.push(id)
      } else if (role === 'assistant') {
        this.assistants.set(id, { content: textOf(content), calls: callsOf(message) })
        trailing = []
      } else if (role === 'tool' && toolCallId !== undefined) {
        this.results.set(toolCallId, { content: textOf(content), ...(error !== undefined && { error }) })
      } else if (role === 'reasoning') {
        this.reasoning.add(id)
      }
    }
    this.trailing = trailing
  }

  /** Whether the client shows this message as it is. */
  has(message: AGUIMessage): boolean {
    switch (message.role) {
      case 'user': {
        const content = this.users.get(message.id)
        return content === message.content || (content !== undefined && textOf(content) === textOf(message.content))
      }
      case 'assistant': {
        const reply = this.assistants.get(message.id)
        const { content = '', toolCalls = [] } = message
        if (reply === undefined || reply.content !== content || reply.calls.size !== toolCalls.length) return false
        return toolCalls.every(({ id, function: { name, arguments: args } }) => {
          const call = reply.calls.get(id)
          return call?.name === name && sameArguments(call.arguments, args)
        })
      }
      case 'tool':
        return this.results.get(message.toolCallId)?.content === message.content
      case 'reasoning':
        return true
    }
  }
}

/** The text in a content, which may be parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((part: { type?: unknown; text?: unknown } | null) =>
      part?.type === 'text' && typeof part.text === 'string' ? [part.text] : [],
    )
    .join('\n')
}

function callsOf({ toolCalls }: ClientMessage): ClientReply['calls'] {
  const calls = new Map<string, { name: string; arguments: string }>()
  for (const call of Array.isArray(toolCalls) ? toolCalls : []) {
    const { id, function: called } = (call ?? {}) as {
      id?: unknown
      function?: { name?: unknown; arguments?: unknown }
    }
    if (typeof id === 'string') calls.set(id, { name: String(called?.name), arguments: String(called?.arguments) })
  }
  return calls
}
