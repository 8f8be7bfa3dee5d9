import { useSession } from '@stepwell/react'
import type { ReactNode } from 'react'

const IDEAS = [
  { title: 'Fix the failing test', text: 'It reads, edits with your approval, and checks' },
  { title: 'Plan the migration', text: 'It asks what it has to know first' },
  { title: 'Explain the checkout', text: 'From the button to the receipt' },
]

export function Empty(): ReactNode {
  const { send } = useSession()
  return (
    <section className="empty">
      <h2>What shall we do?</h2>
      <ul>
        {IDEAS.map(({ title, text }) => (
          <li key={title}>
            <button type="button" onClick={() => void send(title)}>
              <strong>{title}</strong>
              <span>{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
