import { expect, within } from 'storybook/test'
import { LogWriter } from '../log/log-writer.ts'
import { OUTLINE } from '../log/texts.ts'
import { type ChatStory, chatMeta } from './chat.tsx'

export default { ...chatMeta, title: 'Queue' }

function writing(): LogWriter {
  const log = new LogWriter('How the checkout works')
  log.says('Explain the checkout from the button to the receipt.')
  log.turn({ context: { used: 23_400, window: 200_000 } })
  log.writes(OUTLINE.slice(0, OUTLINE.indexOf('| line')))
  return log
}

/** One is read before the model’s next request, the others when this run is over. */
export const QueuedAndSteered: ChatStory = {
  args: {
    record() {
      const log = writing()
      log.waits('Leave out the part about taxes.', 'steer')
      log.waits('Then draw it as a diagram.', 'queue')
      log.waits('And say what happens when the provider never calls back, with all the ways to find out.', 'queue')
      return { steps: log.take() }
    },
  },
  async play({ canvas, userEvent }) {
    const waiting = within(await canvas.findByRole('region', { name: 'Waiting messages' }))
    await expect(waiting.getAllByText('Then')).toHaveLength(2)
    const [now] = waiting.getAllByRole('button', { name: 'Send it now' })
    if (now) await userEvent.click(now)
    await expect(await waiting.findAllByText('Next')).toHaveLength(2)

    await userEvent.click(waiting.getByRole('button', { name: /^And say what happens/ }))
    await userEvent.keyboard('{Control>}a{/Control}')
    await userEvent.clear(waiting.getByRole('textbox', { name: 'Edit the waiting message' }))
    await userEvent.keyboard('And the errors?{Enter}')
    await waiting.findByRole('button', { name: 'And the errors?' })
  },
}

/** Stop gives back what was waiting: it is in the composer again. */
export const GivenBack: ChatStory = {
  args: {
    record() {
      const log = writing()
      log.waits('Then draw it as a diagram.', 'queue')
      return { steps: log.take() }
    },
  },
  async play({ canvas, userEvent }) {
    await userEvent.click(await canvas.findByRole('button', { name: 'Stop' }))
    await canvas.findByText('Stopped')
    await expect(canvas.getByRole('textbox', { name: 'Message' })).toHaveValue('Then draw it as a diagram.')
  },
}

/** After an error nothing goes on by itself. */
export const Paused: ChatStory = {
  args: {
    record() {
      const log = writing()
      log.waits('Then draw it as a diagram.', 'queue')
      log.ends({ partial: true })
      log.finishes('error', {
        error: { code: 'provider.quota', message: 'The account has no credit left.', retryable: false },
      })
      return { steps: log.take() }
    },
  },
  async play({ canvas }) {
    await canvas.findByRole('button', { name: 'Send what waits' })
  },
}
