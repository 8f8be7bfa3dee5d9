import { MessageParts, useComposer, useConnection, useMessage, useSession } from '@stepwell/react'
import type { MessageStatus } from '@stepwell/sdk/view'
import { memo, type ReactNode } from 'react'
import { CopyReply } from './copy-reply.tsx'
import { Icon } from './icons.tsx'
import { renderers } from './parts.tsx'

export const MessageRow = memo(function MessageRow({ id }: { readonly id: string }): ReactNode {
  const message = useMessage(id)
  if (message === undefined) return null
  if (message.role === 'note') return <MessageParts id={id} renderers={renderers} />
  if (message.role === 'user') {
    return (
      <div className="said" data-status={message.status}>
        <h2 className="unseen">You</h2>
        <div className="bubble">
          <MessageParts id={id} renderers={renderers} />
        </div>
        <Delivery id={id} status={message.status} reason={message.error?.message} />
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

interface DeliveryProps {
  readonly id: string
  readonly status: MessageStatus
  readonly reason: string | undefined
}

/** What became of something that was sent, where that is not plain to see. */
function Delivery({ id, status, reason }: DeliveryProps): ReactNode {
  const connection = useConnection()
  const { retry } = useSession()
  const { restore } = useComposer()
  if (status === 'failed') {
    return (
      <p className="failed" role="alert">
        <span>Not sent. {reason}</span>
        <button type="button" className="text-button" onClick={() => void retry(id)}>
          Try again
        </button>
        <button type="button" className="text-button" onClick={() => restore(id)}>
          Edit
        </button>
      </p>
    )
  }
  if (status !== 'sending' || connection.status === 'live') return null
  return (
    <p className="delivery">
      <Icon name="clock" />
      Will be sent when you are back
    </p>
  )
}
