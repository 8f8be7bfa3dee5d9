import type { PartProps, PartRenderers } from '@stepwell/react'
import { useMessage } from '@stepwell/react'
import type { FilePart, ImagePart, NoteMessage, ReasoningPart, SourcePart, TextPart } from '@stepwell/sdk'
import type { ReactNode } from 'react'
import { Icon } from './icons.tsx'
import { Markdown } from './markdown.tsx'
import { ToolCard } from './tool-card.tsx'

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
  if (part.url === undefined) return <Chip name={part.name ?? 'Image'} />
  return <img className="picture" src={part.url} alt={part.name ?? 'Attached image'} />
}

function File({ part }: PartProps<FilePart>): ReactNode {
  return <Chip name={part.name ?? part.path ?? 'File'} />
}

function Source({ part }: PartProps<SourcePart>): ReactNode {
  return (
    <a className="chip" href={part.url} target="_blank" rel="noreferrer">
      <bdi>{part.title ?? part.url ?? part.sourceId}</bdi>
    </a>
  )
}

function Chip({ name }: { readonly name: string }): ReactNode {
  return (
    <span className="chip">
      <Icon name="file" />
      <bdi>{name}</bdi>
    </span>
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

export const renderers: PartRenderers = {
  text: Text,
  reasoning: Reasoning,
  image: Image,
  file: File,
  source: Source,
  note: Note,
  toolCall: ToolCard,
}
