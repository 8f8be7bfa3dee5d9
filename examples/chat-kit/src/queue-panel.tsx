import { useProgress, useQueue } from '@stepwell/react'
import type { Input } from '@stepwell/sdk'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { focused } from './focused.ts'
import { Icon, type IconName } from './icons.tsx'

/** What waits: to be read next, or to be done afterwards. Each can be edited, moved and taken back. */
export function QueuePanel({ takeBack }: { takeBack(inputId: string): Promise<void> }): ReactNode {
  const { steer, queue, paused, resume } = useQueue()
  const { status } = useProgress()
  if (steer.length + queue.length === 0) return null
  return (
    <section className="queue" aria-label="Waiting messages">
      <ul>
        {[...steer, ...queue].map((input) => (
          <Waiting
            key={input.id}
            input={input}
            canSteer={status !== 'idle'}
            onTakeBack={() => void takeBack(input.id)}
          />
        ))}
      </ul>
      {paused && status === 'idle' && (
        <button type="button" className="button" onClick={() => resume()}>
          Send what waits
        </button>
      )}
    </section>
  )
}

interface WaitingProps {
  readonly input: Input
  readonly canSteer: boolean
  onTakeBack(): void
}

function Waiting({ input, canSteer, onTakeBack }: WaitingProps): ReactNode {
  const { edit, move, remove, statusOf } = useQueue()
  const [draft, setDraft] = useState<string>()
  const text = input.parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' ')
  const written = input.parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n')
  const isNext = input.lane === 'steer'
  const save = (): void => {
    const attached = input.parts.filter(({ type }) => type !== 'text')
    const said = draft?.trim()
    if (said && said !== written.trim()) void edit(input.id, [{ type: 'text', text: said }, ...attached])
    setDraft(undefined)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') save()
    if (event.key === 'Escape') setDraft(undefined)
  }
  return (
    <li className="waiting" aria-busy={statusOf(input.id).isBusy}>
      <span className="lane" data-lane={input.lane}>
        {isNext ? 'Next' : 'Then'}
      </span>
      {draft === undefined ? (
        <button type="button" className="waiting-text" dir="auto" title="Edit" onClick={() => setDraft(written)}>
          {text}
        </button>
      ) : (
        <input
          className="waiting-text field"
          aria-label="Edit the waiting message"
          dir="auto"
          value={draft}
          ref={focused}
          onChange={({ target }) => setDraft(target.value)}
          onKeyDown={onKeyDown}
          onBlur={save}
        />
      )}
      {!isNext && canSteer && <Action icon="corner" label="Send it now" onClick={() => void move(input.id, 'steer')} />}
      <Action icon="pencil" label="Back to the composer" onClick={onTakeBack} />
      <Action
        icon="close"
        label="Remove"
        isDisabled={statusOf(input.id).isBusy}
        onClick={() => void remove(input.id)}
      />
    </li>
  )
}

interface ActionProps {
  readonly icon: IconName
  readonly label: string
  readonly isDisabled?: boolean
  onClick(): void
}

function Action({ icon, label, isDisabled = false, onClick }: ActionProps): ReactNode {
  return (
    <button
      type="button"
      className="icon-button small"
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}
