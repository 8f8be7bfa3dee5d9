import type { ReactNode } from 'react'
import { NewThread } from '../../chat/new-thread.tsx'
import { requireUser } from '../../server/session.ts'

export default async function NewChat(): Promise<ReactNode> {
  await requireUser()
  return <NewThread />
}
