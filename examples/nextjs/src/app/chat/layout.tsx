import type { ReactNode } from 'react'
import { Shell } from '../../chat/shell.tsx'
import { agent } from '../../server/agent.ts'
import { requireUser } from '../../server/session.ts'

export default async function ChatLayout({ children }: { readonly children: ReactNode }): Promise<ReactNode> {
  const user = await requireUser()
  const { items } = await agent().sessions({ principal: user.id })
  return (
    <Shell user={user} sessions={items}>
      {children}
    </Shell>
  )
}
