import type { Meta, StoryObj } from '@storybook/react-vite'
import type { ReactNode } from 'react'
import { Thread } from '../chat/thread.tsx'
import { Scene, type SceneProps } from '../replay/scene.tsx'

function Chat(props: SceneProps): ReactNode {
  return (
    <Scene {...props}>
      <Thread />
    </Scene>
  )
}

/** What every file of stories says of itself. */
export const chatMeta = { component: Chat } satisfies Meta<typeof Chat>

export type ChatStory = StoryObj<typeof chatMeta>

/** For what happens at the speed of the recording. */
export const PATIENCE = { timeout: 15_000 } as const
