// A page in a real browser, with a client of a real server.
import { createClient } from '@stepwell/sdk/client'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { AssistantPage } from './assistant-ui-thread.tsx'

/** The session is named in the address, as in an app. */
export function mount(): void {
  const client = createClient({ url: '/agent' })
  const sessionId = location.hash.slice(1) || undefined
  const root = createRoot(document.body.appendChild(document.createElement('main')))
  root.render(
    <StrictMode>
      <AssistantPage
        client={client}
        sessionId={sessionId}
        onCreate={(id) => history.replaceState(null, '', `#${id}`)}
        blobUrl={({ sha256 }, id) => `/agent/sessions/${encodeURIComponent(id)}/blobs/${sha256}`}
      />
    </StrictMode>,
  )
}

/** Each message: whose, how it is, and what it says. */
export function seen(): string[] {
  return [...document.querySelectorAll<HTMLElement>('[data-testid="message"]')].map((message) => {
    const said = [...message.querySelectorAll<HTMLElement>('p, [data-testid="call"], img, [role="alert"]')]
    const words = said.map((one) =>
      one instanceof HTMLImageElement ? `<${one.alt} ${one.naturalWidth}px>` : one.textContent,
    )
    const { role, status } = message.dataset
    return [`${role}:`, ...words, ...(status && status !== 'complete' ? [`(${status})`] : [])].join(' ')
  })
}
