import { type PartProps, type PartRenderers, useMessage, useSession } from '@stepwell/react'
import type { FilePart, ImagePart, NoteMessage, ReasoningPart, SourcePart, TextPart } from '@stepwell/sdk'
import type { ReactNode } from 'react'
import { useFileUrl } from './file-url.ts'
import { Icon } from './icons.tsx'
import { Markdown } from './markdown.tsx'
import { ToolCard } from './tool-card.tsx'
import { useObjectUrl } from './use-object-url.ts'

function Text({ part, messageId, isStreaming }: PartProps<TextPart>): ReactNode {
  const role = useMessage(messageId)?.role
  if (role === 'user') {
    return (
      <p className="plain" dir="auto">
        {part.text}
      </p>
    )
  }
  return <Markdown text={part.text} isStreaming={isStreaming} />
}

/** Open while it is being thought, then out of the way. */
function Reasoning({ part, isStreaming }: PartProps<ReasoningPart>): ReactNode {
  if (part.text === '') return null
  return (
    <details className="reasoning" open={isStreaming}>
      <summary>
        <Icon name="chevron" />
        {isStreaming ? <span className="shimmer">Thinking</span> : 'Thoughts'}
      </summary>
      <p dir="auto">{part.text}</p>
    </details>
  )
}

function Image({ part }: PartProps<ImagePart>): ReactNode {
  const url = usePartUrl(part)
  if (url === undefined) return <FileChip name={part.name ?? 'Image'} url={url} />
  return (
    <a className="picture" href={url} target="_blank" rel="noreferrer">
      {/* Bytes of the session, behind the sign-in: an optimiser has no business there. */}
      <img src={url} alt={part.name ?? 'Attached image'} />
    </a>
  )
}

function File({ part }: PartProps<FilePart>): ReactNode {
  return <FileChip name={part.name ?? part.path ?? 'File'} url={usePartUrl(part)} />
}

function FileChip({ name, url }: { readonly name: string; readonly url: string | undefined }): ReactNode {
  const content = (
    <>
      <Icon name="file" />
      <bdi>{name}</bdi>
    </>
  )
  if (url === undefined) return <span className="chip">{content}</span>
  return (
    <a className="chip" href={url} download={name}>
      {content}
    </a>
  )
}

function Source({ part }: PartProps<SourcePart>): ReactNode {
  return (
    <a className="chip" href={part.url} target="_blank" rel="noreferrer">
      <bdi>{part.title ?? part.url ?? part.sourceId}</bdi>
    </a>
  )
}

function Note({ note: { kind, text } }: { readonly note: Omit<NoteMessage, 'role'> }): ReactNode {
  if (kind !== 'summary') {
    return (
      <p className="remark" dir="auto">
        <Icon name="task" />
        {text}
      </p>
    )
  }
  return (
    <details className="summary">
      <summary>
        <Icon name="fold" />
        Earlier messages were summed up
      </summary>
      <p dir="auto">{text}</p>
    </details>
  )
}

/** Of a blob, of an address, or of bytes that are on their way. */
function usePartUrl(part: ImagePart | FilePart): string | undefined {
  const { session } = useSession()
  const fileUrl = useFileUrl()
  const bytes = 'bytes' in part && part.bytes instanceof Uint8Array ? part.bytes : undefined
  const local = useObjectUrl(bytes, part.mediaType)
  return part.blob ? fileUrl(session.id, part.blob.sha256) : (part.url ?? local)
}

export const renderers: PartRenderers = {
  text: Text,
  reasoning: Reasoning,
  image: Image,
  file: File,
  source: Source,
  note: Note,
  toolCall: ToolCard,
}
