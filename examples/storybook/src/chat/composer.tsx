import { useComposer, useProgress } from '@stepwell/react'
import type { ReactNode } from 'react'
import { Icon } from './icons.tsx'
import { QueuePanel } from './queue-panel.tsx'

export function Composer(): ReactNode {
  const composer = useComposer()
  const { status } = useProgress()
  const isOpen = status !== 'idle'
  return (
    <div className="composer">
      <QueuePanel />
      <form {...composer.getFormProps({ className: 'composer-box' })}>
        {composer.attachments.length > 0 && (
          <ul className="attachments" aria-label="Attachments">
            {composer.attachments.map(({ id, name, status }) => (
              <li key={id} className="chip" data-status={status}>
                <Icon name="file" />
                <bdi>{name}</bdi>
                <button type="button" aria-label={`Remove ${name}`} onClick={() => composer.detach(id)}>
                  <Icon name="close" />
                </button>
              </li>
            ))}
          </ul>
        )}
        <textarea
          {...composer.getInputProps({
            rows: 1,
            placeholder: isOpen ? 'Steer it, or Ctrl+Enter to queue' : 'Message',
          })}
        />
        <div className="composer-bar">
          <label className="icon-button attach" title="Attach files">
            <Icon name="clip" />
            <input {...composer.getAttachProps()} />
          </label>
          <span className="spacer" />
          {isOpen && composer.canSend && (
            <button type="button" className="button quiet" onClick={() => void composer.queue()}>
              <Icon name="clock" />
              Queue
            </button>
          )}
          {isOpen && (
            <button {...composer.getStopProps({ className: 'round', title: 'Stop (Esc)' })}>
              <Icon name="stop" />
            </button>
          )}
          {(!isOpen || composer.canSend) && (
            <button {...composer.getSendProps({ className: 'round main', title: isOpen ? 'Steer' : 'Send' })}>
              <Icon name="send" />
            </button>
          )}
        </div>
      </form>
    </div>
  )
}
