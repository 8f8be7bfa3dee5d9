import { useProgress, useQueue } from '@stepwell/react'
import type { Input } from '@stepwell/sdk'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { Icon, type IconName } from './icons.tsx'

/** What waits: to be read next, or to be done afterwards. Each can be edited, moved and taken back. */
export function QueuePanel(): ReactNode {
  const { steer, queue, paused, resume } = useQueue()
  const { status } = useProgress()
  if (steer.length + queue.length === 0) return null
  return (
    <section className="queue" aria-label="Waiting messages">
      <ul>
        {[...steer, ...queue].map((input) => (
          <Waiting key={input.id} input={input} canSteer={status !== 'idle'} />
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

function Waiting({ input, canSteer }: { readonly input: Input; readonly canSteer: boolean }): ReactNode {
  const { edit, move, remove, statusOf } = useQueue()
  const [draft, setDraft] = useState<string>()
  const text = input.parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' ')
  const isNext = input.lane === 'steer'
  const save = (): void => {
    if (draft !== undefined && draft.trim() !== '') void edit(input.id, draft.trim())
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
        <button type="button" className="waiting-text" dir="auto" title="Edit" onClick={() => setDraft(text)}>
          {text}
        </button>
      ) : (
        <input
          className="waiting-text field"
          aria-label="Edit the waiting message"
          dir="auto"
          value={draft}
          ref={(field) => field?.focus()}
          onChange={({ target }) => setDraft(target.value)}
          onKeyDown={onKeyDown}
          onBlur={save}
        />
      )}
      {!isNext && canSteer && <Action icon="corner" label="Send it now" onClick={() => void move(input.id, 'steer')} />}
      <Action icon="close" label="Remove" onClick={() => void remove(input.id)} />
    </li>
  )
}

interface ActionProps {
  readonly icon: IconName
  readonly label: string
  onClick(): void
}

function Action({ icon, label, onClick }: ActionProps): ReactNode {
  return (
    <button type="button" className="icon-button small" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  )
}
