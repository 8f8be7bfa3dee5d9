'use client'
import type {
  AssistantPart,
  FilePart,
  ImagePart,
  NoteMessage,
  ReasoningPart,
  SessionPart,
  SourcePart,
  TextPart,
  ToolCallPart,
  UserPart,
} from '@stepwell/sdk'
import type { CallItem, PartOutline } from '@stepwell/sdk/view'
import { type ComponentType, memo, type ReactNode } from 'react'
import { useMessage, usePart, useToolCall } from './use-messages.ts'

export interface PartProps<Part> {
  readonly part: Part
  readonly messageId: string
  readonly index: number
  /** It is the last part of a reply that is being written. */
  readonly isStreaming: boolean
}

export interface ToolCallProps extends PartProps<ToolCallPart> {
  /** With what the tool prints while it runs. */
  readonly call: CallItem
}

/** A component for each kind of part. */
export interface PartRenderers {
  readonly text?: ComponentType<PartProps<TextPart>>
  readonly reasoning?: ComponentType<PartProps<ReasoningPart>>
  readonly image?: ComponentType<PartProps<ImagePart>>
  readonly file?: ComponentType<PartProps<FilePart>>
  readonly session?: ComponentType<PartProps<SessionPart>>
  readonly source?: ComponentType<PartProps<SourcePart>>
  /** By the tool's name. */
  readonly tools?: Readonly<Record<string, ComponentType<ToolCallProps>>>
  /** Of the tools that are not in `tools`. */
  readonly toolCall?: ComponentType<ToolCallProps>
  readonly note?: ComponentType<{ readonly note: Omit<NoteMessage, 'role'> }>
  /** Of everything that has no component above, parts of a later version too. */
  readonly fallback?: ComponentType<PartProps<{ readonly type: string }>>
}

export interface MessagePartsProps {
  readonly id: string
  /** The same object in every render, or every part renders anew. */
  readonly renderers?: PartRenderers
}

const NONE: PartRenderers = {}

/** The parts of a message, each by its component. A part that grows renders anew alone. */
export function MessageParts({ id, renderers = NONE }: MessagePartsProps): ReactNode {
  const message = useMessage(id)
  if (message === undefined) return null
  if (message.role === 'note') {
    const Note = renderers.note
    return Note === undefined ? message.text : <Note note={message} />
  }
  const last = message.status === 'streaming' ? message.parts.length - 1 : -1
  const keys = partKeys(message.parts)
  return message.parts.map((outline, index) => (
    <PartSlot
      key={keys[index]}
      messageId={id}
      index={index}
      callId={outline.callId}
      isStreaming={index === last}
      renderers={renderers}
    />
  ))
}

interface SlotProps {
  readonly messageId: string
  readonly index: number
  readonly callId: string | undefined
  readonly isStreaming: boolean
  readonly renderers: PartRenderers
}

const PartSlot = memo(function PartSlot({ callId, ...slot }: SlotProps): ReactNode {
  return callId === undefined ? <PlainSlot {...slot} /> : <CallSlot {...slot} callId={callId} />
})

function PlainSlot({ renderers, ...slot }: Omit<SlotProps, 'callId'>): ReactNode {
  const part = usePart(slot.messageId, slot.index)
  return part === undefined ? null : rendered(part, renderers, slot)
}

function CallSlot({ callId, renderers, ...slot }: SlotProps & { readonly callId: string }): ReactNode {
  const call = useToolCall(callId)
  if (call?.part === undefined) return null
  const { part } = call
  const { tools = {}, toolCall } = renderers
  const Call = Object.hasOwn(tools, part.toolName) ? tools[part.toolName] : toolCall
  return Call === undefined ? unknown(part, renderers, slot) : <Call {...slot} part={part} call={call} />
}

type Place = Pick<SlotProps, 'messageId' | 'index' | 'isStreaming'>

function rendered(part: UserPart | AssistantPart, renderers: PartRenderers, place: Place): ReactNode {
  switch (part.type) {
    case 'text':
      return renderers.text ? <renderers.text {...place} part={part} /> : part.text
    case 'reasoning':
      return renderers.reasoning ? <renderers.reasoning {...place} part={part} /> : unknown(part, renderers, place)
    case 'image':
      return renderers.image ? <renderers.image {...place} part={part} /> : unknown(part, renderers, place)
    case 'file':
      return renderers.file ? <renderers.file {...place} part={part} /> : unknown(part, renderers, place)
    case 'session':
      return renderers.session ? <renderers.session {...place} part={part} /> : unknown(part, renderers, place)
    case 'source':
      return renderers.source ? <renderers.source {...place} part={part} /> : unknown(part, renderers, place)
    default:
      return unknown(part, renderers, place)
  }
}

function unknown(part: { readonly type: string }, { fallback: Fallback }: PartRenderers, place: Place): ReactNode {
  return Fallback === undefined ? (
    <span data-part={part.type}>{`[${part.type}]`}</span>
  ) : (
    <Fallback {...place} part={part} />
  )
}

/** The same for a part as long as it is there: a message only grows. */
function partKeys(parts: readonly PartOutline[]): string[] {
  return parts.map(({ type, callId }, index) => callId ?? `${type}-${index}`)
}
