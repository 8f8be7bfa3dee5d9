import type { Metadata, Viewport } from 'next'
import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import 'stepwell-example-chat-kit/styles.css'
import '../styles/pages.css'
import '../styles/shell.css'

export const metadata: Metadata = { title: 'Stepwell', description: 'A chat over sessions that survive' }

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  viewportFit: 'cover',
  interactiveWidget: 'resizes-content',
}

/** The theme that was chosen is in a cookie, so the first paint has it. Without one the system's holds. */
export default async function Layout({ children }: { readonly children: ReactNode }): Promise<ReactNode> {
  const theme = (await cookies()).get('theme')?.value
  return (
    <html lang="en" {...((theme === 'light' || theme === 'dark') && { 'data-theme': theme })}>
      <body className="chat">{children}</body>
    </html>
  )
}
