// TanStack AI's `useChat` over its adapter for server-sent events, with rows like everyone's.
import { fetchServerSentEvents, useChat } from '@tanstack/ai-react'
import { createElement as h, memo, useState } from 'react'
import { Feed, frames } from './stream.mjs'

export const closes = true

const RUN = { threadId: 's', runId: 'run', timestamp: 1 }
const REPLY = { messageId: 'reply', timestamp: 1 }

export function serve() {
  const server = {
    feed: undefined,
    answer() {
      server.feed = new Feed()
      return server.feed.response
    },
    begin: () => frames({ type: 'RUN_STARTED', ...RUN }, { type: 'TEXT_MESSAGE_START', ...REPLY, role: 'assistant' }),
    delta: (delta) => frames({ type: 'TEXT_MESSAGE_CONTENT', ...REPLY, delta }),
    end: () =>
      frames({ type: 'TEXT_MESSAGE_END', ...REPLY }, { type: 'RUN_FINISHED', ...RUN, finishReason: 'stop' }, '[DONE]'),
  }
  return server
}

export function App({ history, onText }) {
  const [connection] = useState(() => fetchServerSentEvents('http://bench/chat'))
  const [initialMessages] = useState(() =>
    history.map(({ id, text }) => ({ id, role: 'user', parts: [{ type: 'text', content: text }] })),
  )
  const { messages, sendMessage, isLoading } = useChat({ connection, initialMessages })
  const last = isLoading ? messages.length - 1 : -1
  return [
    h('button', { key: 'send', type: 'button', onClick: () => void sendMessage('Go.') }, 'Send'),
    messages.map((message, i) => h(Row, { key: message.id, message, onText: i === last ? onText : undefined })),
  ]
}

const Row = memo(({ message, onText }) => {
  if (message.role === 'assistant') onText?.()
  return h('p', null, message.parts.map((part) => (part.type === 'text' ? part.content : '')).join(''))
})
