import { useComposer, useProgress } from '@stepwell/react'
import { type MouseEvent, type ReactNode, useRef } from 'react'
import { AttachmentPreview } from './attachment-preview.tsx'
import { Icon } from './icons.tsx'
import { QueuePanel } from './queue-panel.tsx'

const ACCEPT = 'image/*,text/*,application/pdf,application/json'

export function Composer(): ReactNode {
  const composer = useComposer()
  const { status } = useProgress()
  const isOpen = status !== 'idle'
  const input = useRef<HTMLTextAreaElement>(null)
  // A button that was pressed by key may be gone in a moment, and the focus with it.
  const onClick = ({ detail, target }: MouseEvent): void => {
    if (detail === 0 && target instanceof HTMLButtonElement) input.current?.focus()
  }
  const takeBack = (inputId: string): Promise<void> => {
    input.current?.focus()
    return composer.takeBack(inputId)
  }
  return (
    <div className="composer">
      <QueuePanel takeBack={takeBack} />
      <form {...composer.getFormProps({ className: 'composer-box', onClick })}>
        {composer.attachments.length > 0 && (
          <ul className="attachments" aria-label="Attachments">
            {composer.attachments.map((attachment) => (
              <AttachmentPreview
                key={attachment.id}
                attachment={attachment}
                onRemove={() => composer.detach(attachment.id)}
              />
            ))}
          </ul>
        )}
        <textarea
          {...composer.getInputProps({
            ref: input,
            rows: 1,
            placeholder: isOpen ? 'Steer it, or queue something' : 'Message',
          })}
        />
        <div className="composer-bar">
          <label className="icon-button attach" title="Attach files">
            <Icon name="clip" />
            <input {...composer.getAttachProps({ accept: ACCEPT })} />
          </label>
          <span className="spacer" />
          {isOpen && composer.canSend && (
            <button
              type="button"
              className="button quiet"
              title="Queue (Ctrl+Enter)"
              onClick={() => void composer.queue()}
            >
              <Icon name="clock" />
              Queue
            </button>
          )}
          {(!isOpen || composer.canSend) && (
            <button
              {...composer.getSendProps({ className: 'round main', title: isOpen ? 'Steer (Enter)' : 'Send (Enter)' })}
            >
              <Icon name="send" />
            </button>
          )}
          {isOpen && (
            <button {...composer.getStopProps({ className: 'round', title: 'Stop (Esc)' })}>
              <Icon name="stop" />
            </button>
          )}
        </div>
      </form>
    </div>
  )
}
