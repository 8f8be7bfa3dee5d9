import { expect } from 'storybook/test'
import { LogWriter } from '../log/log-writer.ts'
import { TOTAL_FIX } from '../log/texts.ts'
import { type ChatStory, chatMeta } from './chat.tsx'

export default { ...chatMeta, title: 'Context' }

export const NearlyFull: ChatStory = {
  args: {
    record() {
      const context = { used: 190_000, window: 200_000 }
      const log = new LogWriter('A long afternoon')
      log.exchange('Which files did we change today?', 'Fourteen, all below `src/checkout`.')
      log.says('Then fix the last failing test too.')
      log.turn({ context })
      log.writes(TOTAL_FIX)
      log.ends({ context })
      log.finishes()
      return { steps: log.take() }
    },
  },
  async play({ canvas }) {
    await expect(await canvas.findByText('95 %')).toBeVisible()
    await expect(canvas.getByRole('img', { name: '190K of 200K tokens of context used' })).toBeVisible()
  },
}

function full(): LogWriter {
  const log = new LogWriter('A long afternoon')
  log.exchange('Which files did we change today?', 'Fourteen, all below `src/checkout`.')
  log.says('Then fix the last failing test too.')
  return log
}

export const Compacting: ChatStory = {
  args: {
    record() {
      const log = full()
      log.activity({ kind: 'compacting' })
      return { steps: log.take() }
    },
  },
  async play({ canvas }) {
    await canvas.findByText('Making room in the context…')
  },
}

/** People keep the whole conversation. The model gets the summary and what follows. */
export const Compacted: ChatStory = {
  args: {
    record() {
      const log = full()
      log.activity({ kind: 'compacting' })
      log.compacts(
        'Fourteen files below src/checkout were changed. The sum of a cart is still wrong where there are several of one item.',
        'in_4',
        191_000,
        12_400,
      )
      log.activity()
      const context = { used: 12_900, window: 200_000 }
      log.turn({ context })
      log.writes(TOTAL_FIX)
      log.ends({ context })
      log.finishes()
      return { steps: log.take() }
    },
  },
  async play({ canvas, userEvent }) {
    await userEvent.click(await canvas.findByText('Earlier messages were summed up'))
    await expect(canvas.getByText(/^Fourteen files below/)).toBeVisible()
    await expect(canvas.getByText('Which files did we change today?')).toBeInTheDocument()
  },
}
