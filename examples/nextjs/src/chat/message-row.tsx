'use client'
import { MessageParts, useMessage } from '@stepwell/react'
import { memo, type ReactNode } from 'react'
import { CopyReply } from './copy-reply.tsx'
import { FailedInput } from './failed-input.tsx'
import { renderers } from './parts.tsx'

export const MessageRow = memo(function MessageRow({ id }: { readonly id: string }): ReactNode {
  const message = useMessage(id)
  if (message === undefined) return null
  if (message.role === 'note') {
    return (
      <div className="note">
        <MessageParts id={id} renderers={renderers} />
      </div>
    )
  }
  if (message.role === 'user') {
    return (
      <div className="said" data-status={message.status}>
        <h2 className="unseen">You</h2>
        <div className="bubble">
          <MessageParts id={id} renderers={renderers} />
        </div>
        {message.status === 'failed' && <FailedInput id={id} reason={message.error?.message} />}
      </div>
    )
  }
  return (
    <div className="reply" data-status={message.status}>
      <h2 className="unseen">Assistant</h2>
      <MessageParts id={id} renderers={renderers} />
      {message.status === 'committed' && message.parts.at(-1)?.type === 'text' && <CopyReply id={id} />}
    </div>
  )
})
