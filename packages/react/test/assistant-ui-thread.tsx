// A page as the documentation of assistant-ui has it: its primitives, unstyled, and nothing of ours but the runtime.
import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  AttachmentPrimitive,
  ComposerPrimitive,
  ErrorPrimitive,
  MessagePrimitive,
  QueueItemPrimitive,
  ThreadListItemPrimitive,
  ThreadListPrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
  useAui,
  useAuiState,
} from '@assistant-ui/react'
import { type ReactNode, useState } from 'react'
import { type StepwellRuntimeOptions, useStepwellRuntime } from '../src/assistant-ui/index.ts'

/** Shows what it is given, and whatever session a person turns to. */
export function AssistantPage({ sessionId: first, onCreate, ...options }: StepwellRuntimeOptions): ReactNode {
  const [sessionId, setSessionId] = useState(first)
  const onMade = (id: string) => {
    setSessionId(id)
    onCreate?.(id)
  }
  const runtime = useStepwellRuntime({ ...options, sessionId, onCreate: onMade, onSwitch: setSessionId })
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadList />
      <Thread />
    </AssistantRuntimeProvider>
  )
}

function ThreadList(): ReactNode {
  return (
    <ThreadListPrimitive.Root>
      <ThreadListPrimitive.New>New thread</ThreadListPrimitive.New>
      <ThreadListPrimitive.Items>{() => <ThreadItem />}</ThreadListPrimitive.Items>
      <ThreadListPrimitive.Items archived>{() => <ThreadItem />}</ThreadListPrimitive.Items>
    </ThreadListPrimitive.Root>
  )
}

function ThreadItem(): ReactNode {
  const remoteId = useAuiState(({ threadListItem }) => threadListItem.remoteId)
  const status = useAuiState(({ threadListItem }) => threadListItem.status)
  return (
    <ThreadListItemPrimitive.Root>
      <ThreadListItemPrimitive.Trigger>
        <ThreadListItemPrimitive.Title fallback={remoteId ?? ''} />
      </ThreadListItemPrimitive.Trigger>
      {status === 'archived' ? (
        <ThreadListItemPrimitive.Unarchive>Unarchive {remoteId}</ThreadListItemPrimitive.Unarchive>
      ) : (
        <ThreadListItemPrimitive.Archive>Archive {remoteId}</ThreadListItemPrimitive.Archive>
      )}
      <ThreadListItemPrimitive.Delete>Delete {remoteId}</ThreadListItemPrimitive.Delete>
    </ThreadListItemPrimitive.Root>
  )
}

function Thread(): ReactNode {
  return (
    <ThreadPrimitive.Root>
      <ThreadPrimitive.Viewport>
        <ThreadPrimitive.Messages>{() => <Message />}</ThreadPrimitive.Messages>
      </ThreadPrimitive.Viewport>
      <ComposerPrimitive.Root>
        <ComposerPrimitive.Queue>
          {({ queueItem }) => (
            <div data-testid="queue-item">
              <QueueItemPrimitive.Text />
              <QueueItemPrimitive.Steer>Steer {queueItem.id}</QueueItemPrimitive.Steer>
              <QueueItemPrimitive.Remove>Remove {queueItem.id}</QueueItemPrimitive.Remove>
            </div>
          )}
        </ComposerPrimitive.Queue>
        <ComposerPrimitive.Attachments>{() => <AttachmentPrimitive.Name />}</ComposerPrimitive.Attachments>
        <ComposerPrimitive.AddAttachment>Attach</ComposerPrimitive.AddAttachment>
        <ComposerPrimitive.Input aria-label="Message" />
        <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        <QueueButton />
        <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
      </ComposerPrimitive.Root>
    </ThreadPrimitive.Root>
  )
}

/** Behind the open run, where Send is into it. */
function QueueButton(): ReactNode {
  const aui = useAui()
  return (
    <button type="button" onClick={() => aui.composer.send({ steer: false })}>
      Queue
    </button>
  )
}

function Message(): ReactNode {
  const role = useAuiState(({ message }) => message.role)
  const status = useAuiState(({ message }) => (message.role === 'assistant' ? message.status.type : ''))
  const isEditing = useAuiState(({ message }) => message.composer.isEditing)
  if (isEditing) {
    return (
      <ComposerPrimitive.Root>
        <ComposerPrimitive.Input aria-label="Edit message" />
        <ComposerPrimitive.Send>Save</ComposerPrimitive.Send>
      </ComposerPrimitive.Root>
    )
  }
  return (
    <MessagePrimitive.Root data-testid="message" data-role={role} data-status={status}>
      <MessagePrimitive.Attachments>
        {({ attachment }) => {
          const [image] = attachment.content?.filter((part) => part.type === 'image') ?? []
          return image === undefined ? <AttachmentPrimitive.Name /> : <img alt={attachment.name} src={image.image} />
        }}
      </MessagePrimitive.Attachments>
      <MessagePrimitive.Parts>
        {({ part }) => {
          if (part.type === 'text' || part.type === 'reasoning') return <p>{part.text}</p>
          if (part.type === 'tool-call') return <ToolCall {...part} />
          return <p>[{part.type}]</p>
        }}
      </MessagePrimitive.Parts>
      <MessagePrimitive.Error>
        <ErrorPrimitive.Root>
          <ErrorPrimitive.Message />
        </ErrorPrimitive.Root>
      </MessagePrimitive.Error>
      <ActionBarPrimitive.Root>
        {role === 'user' && <ActionBarPrimitive.Edit>Edit</ActionBarPrimitive.Edit>}
        {role === 'assistant' && <ActionBarPrimitive.Reload>Reload</ActionBarPrimitive.Reload>}
      </ActionBarPrimitive.Root>
    </MessagePrimitive.Root>
  )
}

type Call = Pick<
  ToolCallMessagePartProps,
  'toolName' | 'args' | 'result' | 'isError' | 'approval' | 'respondToApproval' | 'addResult' | 'isPreliminary'
>

function ToolCall(call: Call): ReactNode {
  const { toolName, result, isError, isPreliminary, approval, respondToApproval, addResult } = call
  const outcome = result === undefined ? 'open' : isError ? 'error' : isPreliminary ? 'running' : 'ok'
  return (
    <div data-testid="call">
      [{toolName} {outcome}
      {result !== undefined && `: ${typeof result === 'string' ? result : JSON.stringify(result)}`}]
      {approval?.options?.map(({ id, label }) => (
        <button key={id} type="button" onClick={() => respondToApproval({ optionId: id, reason: 'Because.' })}>
          {label}
        </button>
      ))}
      {approval?.questions?.map(({ id, prompt, options = [] }) => (
        <fieldset key={id}>
          <legend>{prompt}</legend>
          {options.map((option) => (
            <button
              key={option.id}
              type="button"
              onClick={() => respondToApproval({ answers: { [id]: { optionIds: [option.id] } } })}
            >
              {option.label}
            </button>
          ))}
        </fieldset>
      ))}
      {toolName === 'where' && result === undefined && (
        <button type="button" onClick={() => addResult({ lat: 59.9 })}>
          Tell where
        </button>
      )}
    </div>
  )
}
