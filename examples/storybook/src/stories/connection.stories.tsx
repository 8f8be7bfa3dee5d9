import { expect } from 'storybook/test'
import { LogWriter } from '../log/log-writer.ts'
import { OUTLINE } from '../log/texts.ts'
import type { Recording } from '../replay/scene.tsx'
import { type ChatStory, chatMeta, PATIENCE } from './chat.tsx'

export default { ...chatMeta, title: 'Connection' }

const ANSWER = 'Nine orders wait for their payment. The oldest is from this morning.'

function calm(rest: Omit<Recording, 'steps'>): Recording {
  const log = new LogWriter('Open orders')
  log.exchange('How many orders wait for their payment?', ANSWER)
  return { ...rest, before: log.take(), steps: [] }
}

/** In the middle of a reply. What was received stays, and nothing is written twice afterwards. */
export const Reconnecting: ChatStory = {
  args: {
    record() {
      const log = new LogWriter('How the checkout works')
      log.says('Explain the checkout from the button to the receipt.')
      log.turn({ context: { used: 23_400, window: 200_000 } })
      log.writes(OUTLINE.slice(0, OUTLINE.indexOf('| line')))
      return { steps: log.take(), connection: { status: 'reconnecting', attempt: 2 } }
    },
  },
  async play({ canvas }) {
    await canvas.findByText('Connection lost. Connecting again…', undefined, PATIENCE)
  },
}

/** What is written without a network waits in the outbox, in its place. */
export const OfflineOutbox: ChatStory = {
  args: { record: () => calm({ connection: { status: 'offline' }, delivery: 'waits' }) },
  async play({ canvas, userEvent }) {
    const composer = await canvas.findByRole('textbox', { name: 'Message' })
    await userEvent.type(composer, 'Remind the oldest three.{Enter}')
    await userEvent.type(composer, 'And tell me who answered.{Enter}')
    await expect(await canvas.findAllByText('Will be sent when you are back')).toHaveLength(2)
    await expect(composer).toHaveValue('')
    await canvas.findByText('You are offline. What you send waits here.', undefined, PATIENCE)
  },
}

export const FailedSend: ChatStory = {
  args: { record: () => calm({ delivery: 'is-lost' }) },
  async play({ canvas, userEvent }) {
    const composer = await canvas.findByRole('textbox', { name: 'Message' })
    await userEvent.type(composer, 'Remind the oldest three.{Enter}')
    await canvas.findByText('Not sent. The server did not answer.')
    await userEvent.click(canvas.getByRole('button', { name: 'Edit' }))
    await expect(composer).toHaveValue('Remind the oldest three.')
    await userEvent.type(composer, '{Enter}')
    await canvas.findByRole('button', { name: 'Try again' })
  },
}

export const Refused: ChatStory = {
  args: {
    record: () =>
      calm({
        connection: {
          status: 'failed',
          error: { code: 'wire.unauthorized', message: 'You are not signed in any more.', retryable: false },
        },
      }),
  },
  async play({ canvas }) {
    await canvas.findByText('You are not signed in any more.', undefined, PATIENCE)
  },
}
