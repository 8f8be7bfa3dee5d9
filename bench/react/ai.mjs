// AI SDK's `useChat` as its guide shows it, with rows that are only rendered again when their message is another one.
import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport } from 'ai'
import { createElement as h, memo, useState } from 'react'
import { Feed, frames } from './stream.mjs'

export const closes = true

export function serve() {
  const server = {
    feed: undefined,
    answer() {
      server.feed = new Feed({ 'x-vercel-ai-ui-message-stream': 'v1' })
      return server.feed.response
    },
    begin: () => frames({ type: 'start', messageId: 'reply' }, { type: 'start-step' }, { type: 'text-start', id: 't' }),
    delta: (delta) => frames({ type: 'text-delta', id: 't', delta }),
    end: () => frames({ type: 'text-end', id: 't' }, { type: 'finish-step' }, { type: 'finish' }, '[DONE]'),
  }
  return server
}

export function App({ history, settings, onText }) {
  const [transport] = useState(() => new DefaultChatTransport({ api: 'http://bench/chat' }))
  const [messages] = useState(() =>
    history.map(({ id, text }) => ({ id, role: 'user', parts: [{ type: 'text', text }] })),
  )
  const chat = useChat({ id: 's', messages, transport, throttle: settings.throttle })
  const last = chat.status === 'streaming' ? chat.messages.length - 1 : -1
  return [
    h('button', { key: 'send', type: 'button', onClick: () => void chat.sendMessage({ text: 'Go.' }) }, 'Send'),
    chat.messages.map((message, i) => h(Row, { key: message.id, message, onText: i === last ? onText : undefined })),
  ]
}

const Row = memo(({ message, onText }) => {
  if (message.role === 'assistant') onText?.()
  return h('p', null, message.parts.map((part) => (part.type === 'text' ? part.text : '')).join(''))
})
