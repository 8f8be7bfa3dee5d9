import { SessionDevtools } from '@stepwell/react/devtools'
import { Thread } from 'stepwell-example-chat-kit'
import { expect, within } from 'storybook/test'
import { LogWriter } from '../log/log-writer.ts'
import { DIFF, THOUGHTS, TOTAL_FIX } from '../log/texts.ts'
import { Scene } from '../replay/scene.tsx'
import { type ChatStory, chatMeta, fileUrl } from './chat.tsx'

export default {
  ...chatMeta,
  title: 'Devtools',
  render: (props) => (
    <Scene {...props}>
      <Thread fileUrl={fileUrl} />
      <SessionDevtools />
    </Scene>
  ),
} satisfies typeof chatMeta & { title: string; render: ChatStory['render'] }

function log(): LogWriter {
  const log = new LogWriter('The failing test')
  const context = { used: 28_300, window: 200_000 }
  log.says('Fix the failing test of the cart.')
  log.turn({ context })
  log.thinks(THOUGHTS)
  const input = { path: 'src/cart.ts' }
  const edit = log.calls('edit_file', input)
  log.ends({ context })
  log.starts(edit, 'edit_file', input)
  log.returns(edit, 'edit_file', {
    changes: [{ path: 'src/cart.ts', kind: 'modified', diff: DIFF, added: 1, removed: 1 }],
  })
  log.turn({ context })
  log.writes(TOTAL_FIX)
  log.ends({ context })
  log.finishes()
  return log
}

const args: ChatStory['args'] = { record: () => ({ before: log().take(), steps: [] }) }

type Play = NonNullable<ChatStory['play']>

/** Opens it at one of its panels. */
function panel(name: string, sees: (dock: ReturnType<typeof within>) => Promise<unknown>): ChatStory {
  const play: Play = async ({ canvas, userEvent }) => {
    await userEvent.click(await canvas.findByRole('button', { name: 'Session log' }))
    const dock = within(await canvas.findByRole('region', { name: 'Log of session demo' }))
    await dock.findByText('finish')
    await userEvent.click(dock.getByRole('button', { name }))
    await sees(dock)
  }
  return { args, play }
}

export const Closed: ChatStory = {
  args,
  async play({ canvas }) {
    await expect(await canvas.findByRole('button', { name: 'Session log' })).toBeVisible()
  },
}

export const Event = panel('Event', (dock) => dock.findByText('"finish"'))
export const State = panel('State', (dock) => dock.findByText('history:', { exact: false }))
export const Model = panel('Model', (dock) => dock.findByText(/^You help the developers of a small web shop/))
export const Usage = panel('Usage', (dock) => dock.findByRole('columnheader', { name: 'Cached' }))
