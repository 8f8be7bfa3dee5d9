import type { Attachment } from '@stepwell/react'
import type { ReactNode } from 'react'
import { Icon } from './icons.tsx'
import { useObjectUrl } from './use-object-url.ts'

interface Props {
  readonly attachment: Attachment
  onRemove(): void
}

export function AttachmentPreview({ attachment, onRemove }: Props): ReactNode {
  const { name, mediaType, status, file, error } = attachment
  const isImage = mediaType.startsWith('image/')
  const url = useObjectUrl(isImage ? file : undefined, mediaType)
  return (
    <li className="attachment" data-status={status} title={error?.message ?? name}>
      {url === undefined ? <Icon name="file" /> : <img src={url} alt="" />}
      <bdi>{name}</bdi>
      <button type="button" className="icon-button small" aria-label={`Remove ${name}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  )
}
