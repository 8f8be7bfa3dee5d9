// A page of somebody who has never heard of this library: `useChat` as its own documentation shows it.
import type * as react from '@ai-sdk/react'
import type * as ai from 'ai'
import { createElement, type ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'

export interface Packages {
  readonly useChat: typeof react.useChat
  readonly DefaultChatTransport: typeof ai.DefaultChatTransport
  readonly afterApprovals: typeof ai.lastAssistantMessageIsCompleteWithApprovalResponses
  readonly afterToolCalls: typeof ai.lastAssistantMessageIsCompleteWithToolCalls
}

export interface Seen {
  readonly status: string
  readonly error?: string
  /** Of each message what is read: its texts, and its calls with how they are. */
  readonly messages: readonly string[]
}

export function chatPage({ useChat, DefaultChatTransport, afterApprovals, afterToolCalls }: Packages) {
  let root: Root | undefined
  let chat: ReturnType<typeof useChat> | undefined

  function Chat({ id, messages }: { id: string; messages: ai.UIMessage[] }): ReactNode {
    const helpers = useChat({
      id,
      messages,
      resume: messages.length > 0,
      transport: new DefaultChatTransport(),
      sendAutomaticallyWhen: (sent) => afterApprovals(sent) || afterToolCalls(sent),
      onToolCall({ toolCall }) {
        if (toolCall.toolName !== 'where') return
        const { toolCallId } = toolCall
        void helpers.addToolOutput({ tool: 'where', toolCallId, output: { lat: 59.9 } })
      },
    })
    chat = helpers
    return helpers.messages.map((message) => createElement('p', { key: message.id }, read(message)))
  }

  const current = (): NonNullable<typeof chat> => {
    if (chat === undefined) throw new Error('Nothing is mounted.')
    return chat
  }

  return {
    /** Loads the chat as it is stored, and shows it. */
    async mount(id: string): Promise<void> {
      const stored = await fetch(`/api/chat/${id}/messages`)
      const { messages } = stored.ok ? await stored.json() : { messages: [] }
      root ??= createRoot(document.body.appendChild(document.createElement('main')))
      root.render(createElement(Chat, { id, key: id, messages }))
      while (chat?.id !== id) await new Promise(requestAnimationFrame)
    },
    send(text: string): void {
      void current().sendMessage({ text })
    },
    decide(approved: boolean): void {
      const parts = current().messages.flatMap(({ parts }) => parts)
      const asked = parts.find((part) => 'state' in part && part.state === 'approval-requested')
      if (asked === undefined || !('approval' in asked) || !asked.approval) throw new Error('Nothing is asked.')
      void current().addToolApprovalResponse({ id: asked.approval.id, approved })
    },
    async stop(): Promise<void> {
      await fetch(`/api/chat/${current().id}/stop`, { method: 'POST' })
      await current().stop()
    },
    regenerate(): void {
      void current().regenerate()
    },
    seen(): Seen {
      const { status, error, messages } = current()
      return { status, ...(error && { error: error.message }), messages: messages.map(read) }
    },
  }
}

function read({ role, parts }: ai.UIMessage): string {
  const words = parts.flatMap((part) => {
    if (part.type === 'text') return [part.text]
    return 'toolCallId' in part ? [`[${part.type.slice('tool-'.length)} ${part.state}]`] : []
  })
  return `${role}: ${words.join(' ')}`
}
