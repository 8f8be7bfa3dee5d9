import type { Meta, StoryObj } from '@storybook/react-vite'
import type { ReactNode } from 'react'
import { type FileUrl, Thread } from 'stepwell-example-chat-kit'
import { Scene, type SceneProps } from '../replay/scene.tsx'

/** There is no server that has files. */
export const fileUrl: FileUrl = (_sessionId, sha256) => `data:text/plain,The file ${sha256}`

function Chat(props: SceneProps): ReactNode {
  return (
    <Scene {...props}>
      <Thread fileUrl={fileUrl} />
    </Scene>
  )
}

/** What every file of stories says of itself. */
export const chatMeta = { component: Chat } satisfies Meta<typeof Chat>

export type ChatStory = StoryObj<typeof chatMeta>

/** For what takes its time: the recording, or a component. */
export const PATIENCE = { timeout: 15_000 } as const
