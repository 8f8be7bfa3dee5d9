import { useDeliverables, useSession } from '@stepwell/react'
import type { ReactNode } from 'react'
import { useFileUrl } from './file-url.ts'
import { bytesText } from './format.ts'
import { Icon } from './icons.tsx'

/** Files that were presented. */
export function Files(): ReactNode {
  const files = useDeliverables()
  const fileUrl = useFileUrl()
  const { session } = useSession()
  if (files.length === 0) return null
  return (
    <section className="files" aria-label="Files">
      {files.map((file) => (
        <a key={file.id} className="deliverable" href={fileUrl(session.id, file.sha256)} download={file.name}>
          <span className="file-kind" aria-hidden="true">
            {file.name.split('.').at(-1)}
          </span>
          <span className="file-text">
            <strong dir="auto">{file.title ?? file.name}</strong>
            <small>
              <bdi>{file.name}</bdi> · {bytesText(file.size)}
            </small>
          </span>
          <Icon name="download" />
        </a>
      ))}
    </section>
  )
}
