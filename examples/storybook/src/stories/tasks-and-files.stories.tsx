import { expect } from 'storybook/test'
import { LogWriter } from '../log/log-writer.ts'
import { type ChatStory, chatMeta } from './chat.tsx'

export default { ...chatMeta, title: 'Tasks and files' }

const CONTEXT = { used: 18_700, window: 200_000 }

function asked(question: string, answer: string): LogWriter {
  const log = new LogWriter('The yearly report')
  log.says(question)
  log.turn({ context: CONTEXT })
  log.writes(answer)
  log.ends()
  log.finishes()
  return log
}

/** The page was closed meanwhile. The list says so where it happened. */
export const FinishedWhileAway: ChatStory = {
  args: {
    record() {
      const log = asked('Compare our prices with last year’s.', 'That takes a while. I do it in the background.')
      const task = { id: 't1', kind: 'job', title: 'Compare the prices' } as const
      log.task({ ...task, state: 'running' })
      log.task({ ...task, state: 'done' })
      log.remarks('“Compare the prices” was finished while you were away: 214 of 1,020 went up.')
      return { before: log.take(), steps: [] }
    },
  },
  async play({ canvas }) {
    await canvas.findByText(/finished while you were away/)
    await expect(canvas.getByRole('region', { name: 'Tasks' })).toHaveTextContent('Compare the prices')
  },
}

export const SeveralTasks: ChatStory = {
  args: {
    record() {
      const log = asked('Check all four shops at once.', 'Four at a time. I tell you what I find.')
      log.task({ id: 't1', kind: 'subagent', title: 'Shop in Oslo', state: 'done' })
      log.task({ id: 't2', kind: 'subagent', title: 'Shop in Lyon', state: 'running' })
      log.task({ id: 't3', kind: 'subagent', title: 'Shop in Turin', state: 'queued' })
      const error = { code: 'internal', message: 'The shop does not answer.', retryable: true } as const
      log.task({ id: 't4', kind: 'subagent', title: 'Shop in Graz', state: 'failed', error })
      return { steps: log.take() }
    },
  },
  async play({ canvas }) {
    await expect(await canvas.findAllByRole('listitem')).toHaveLength(4)
  },
}

export const DownloadInProgress: ChatStory = {
  args: {
    record() {
      const log = asked('Get the product photos.', 'They are on their way.')
      const task = { id: 't1', kind: 'download', title: 'Product photos', state: 'running' } as const
      log.task(task)
      for (let bytes = 0; bytes <= 1_420_000_000; bytes += 142_000_000) {
        log.task({ ...task, progress: { bytes, total: 2_400_000_000, speed: 24_500_000 } }, true)
      }
      log.task({
        id: 't2',
        kind: 'download',
        title: 'Price list',
        state: 'running',
        progress: { bytes: 618_000, phase: 'Unpacking' },
      })
      return { steps: log.take() }
    },
  },
  async play({ canvas }) {
    await canvas.findByText('1.4 GB of 2.4 GB · 24.5 MB/s · 40 s left')
    await expect(canvas.getByRole('progressbar', { name: 'Price list' })).not.toHaveAttribute('value')
  },
}

export const Deliverable: ChatStory = {
  args: {
    record() {
      const log = new LogWriter('The yearly report')
      log.says('Write the yearly report, and the figures as a table.')
      log.turn({ context: CONTEXT })
      log.writes('I collect the figures first.')
      const call = log.calls('export_report', {})
      log.ends()
      log.starts(call, 'export_report', {})
      log.returns(call, 'export_report', {
        durationMs: 2_310,
        artifacts: [
          {
            id: 'a1',
            name: 'report-2025.pdf',
            title: 'Yearly report',
            mediaType: 'application/pdf',
            size: 1_840_000,
            sha256: 'a',
          },
          { id: 'a2', name: 'figures-by-month.csv', mediaType: 'text/csv', size: 18_200, sha256: 'b' },
        ],
      })
      log.turn({ context: CONTEXT })
      log.writes('Here they are. The best month was **May**, as last year.')
      log.ends()
      log.finishes()
      return { steps: log.take() }
    },
  },
  async play({ canvas }) {
    const link = await canvas.findByRole('link', { name: /Yearly report/ })
    await expect(link).toHaveAttribute('download', 'report-2025.pdf')
    await canvas.findByText(/18.2 KB/)
  },
}
