import { useDeliverables } from '@stepwell/react'
import type { Artifact } from '@stepwell/sdk'
import type { ReactNode } from 'react'
import { Icon } from './icons.tsx'
import { bytesText } from './words.ts'

/** Where a file can be had. An app has the address of its server here. */
function hrefOf({ name }: Artifact): string {
  return `data:text/plain,${encodeURIComponent(`The contents of ${name}`)}`
}

/** Files that were presented. */
export function Files(): ReactNode {
  const files = useDeliverables()
  if (files.length === 0) return null
  return (
    <section className="files" aria-label="Files">
      {files.map((file) => (
        <a key={file.id} className="deliverable" href={hrefOf(file)} download={file.name}>
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
