import { useSession } from '@stepwell/react'
import type { ReactNode } from 'react'

const IDEAS = [
  { title: 'Fix the failing test', text: 'reads, an edit you approve, live checks' },
  { title: 'Ask me something first', text: 'questions in the conversation' },
  { title: 'Write something long', text: 'to stop, steer or reload in the middle' },
  { title: 'اكتب لي شيئًا بالعربية', text: 'من اليمين إلى اليسار' },
]

export function Welcome(): ReactNode {
  const { send } = useSession()
  return (
    <section className="welcome">
      <span className="logo" aria-hidden="true" />
      <h2>What shall we do?</h2>
      <ul>
        {IDEAS.map(({ title, text }) => (
          <li key={title}>
            <button type="button" dir="auto" onClick={() => void send(title)}>
              <strong>{title}</strong>
              <span>{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
