import { HydrateSession } from '@stepwell/react'
import { notFound } from 'next/navigation'
import type { ReactNode } from 'react'
import { SessionThread } from '../../../chat/session-thread.tsx'
import { preloadOf, requireUser } from '../../../server/session.ts'

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

/** The conversation as the store has it, in the first HTML. The page follows it from there. */
export default async function Chat({ params }: Props): Promise<ReactNode> {
  const user = await requireUser()
  const id = decodeURIComponent((await params).id)
  const snapshot = await preloadOf(id, user)
  if (snapshot === undefined) notFound()
  return (
    <HydrateSession key={id} snapshot={snapshot}>
      <SessionThread />
    </HydrateSession>
  )
}
