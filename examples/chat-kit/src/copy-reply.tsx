import { useSession } from '@stepwell/react'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

export function CopyReply({ id }: { readonly id: string }): ReactNode {
  const { view } = useSession()
  const read = (): string => {
    const item = view.getSnapshot().messages.find((each) => each.id === id)
    if (item?.message.role !== 'assistant') return ''
    return item.message.parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n')
  }
  return (
    <div className="reply-actions">
      <CopyButton label="Copy reply" read={read} />
    </div>
  )
}
