import { expect, within } from 'storybook/test'
import { LogWriter } from '../log/log-writer.ts'
import { DIFF } from '../log/texts.ts'
import type { Recording } from '../replay/scene.tsx'
import { type ChatStory, chatMeta, PATIENCE } from './chat.tsx'

export default { ...chatMeta, title: 'Requests' }

const CONTEXT = { used: 28_300, window: 200_000 }
const ALL_EXITS = ['allow-once', 'allow-session', 'deny'] as const

function approval(): Recording {
  const log = new LogWriter('The failing test')
  log.says('Fix the failing test of the cart.')
  log.turn({ context: CONTEXT })
  log.writes('The sum forgets how many there are of an item. One line has to change:')
  const input = { path: 'src/cart.ts' }
  const edit = log.calls('edit_file', input)
  log.ends()
  log.asks({
    kind: 'approval',
    callId: edit,
    tool: { name: 'edit_file', input, effect: 'write' },
    description: { title: 'Change src/cart.ts', path: 'src/cart.ts', diff: DIFF },
    reason: 'Changes to files are asked for.',
    options: ALL_EXITS,
    suggestedRule: 'edit_file(src/**)',
  })
  return {
    steps: log.take(),
    respond(command) {
      if (command.type !== 'resolve') return []
      const isAllowed = command.resolution.decision !== 'deny'
      log.returns(edit, 'edit_file', {
        outcome: isAllowed ? 'ok' : 'denied',
        ...(isAllowed && { changes: [{ path: 'src/cart.ts', kind: 'modified', diff: DIFF, added: 1, removed: 1 }] }),
        output: command.resolution.note ?? 'done',
      })
      log.turn({ context: CONTEXT })
      log.writes(isAllowed ? 'It is changed.' : 'Then I leave the file as it is.')
      log.ends()
      log.finishes()
      return log.take()
    },
  }
}

export const Approval: ChatStory = {
  args: { record: approval },
  async play({ canvas }) {
    const group = await canvas.findByRole('group', { name: /^Change src\/cart.ts\?/ })
    await expect(within(group).getByRole('button', { name: 'Allow' })).toBeEnabled()
    await expect(canvas.getByText('Waits for you')).toBeVisible()
  },
}

export const ApprovalAllowed: ChatStory = {
  args: { record: approval },
  async play({ canvas, userEvent }) {
    await userEvent.click(await canvas.findByRole('button', { name: 'Allow' }))
    await canvas.findByText('It is changed.', undefined, PATIENCE)
    await expect(canvas.queryByRole('group', { name: /^Change/ })).toBeNull()
  },
}

export const ApprovalDenied: ChatStory = {
  args: { record: approval },
  async play({ canvas, userEvent }) {
    await userEvent.click(await canvas.findByRole('button', { name: 'Deny' }))
    const note = await canvas.findByRole('textbox', { name: 'What to do instead' })
    await expect(note).toHaveFocus()
    await userEvent.keyboard('Write a test first{Enter}')
    await canvas.findByText('Then I leave the file as it is.', undefined, PATIENCE)
    await userEvent.click(canvas.getByRole('button', { name: /^Edit .*Denied$/ }))
    await expect(canvas.getByText('Write a test first', { exact: false })).toBeVisible()
  },
}

/** Each holds back its own call and nothing else. */
export const SeveralApprovals: ChatStory = {
  args: {
    record() {
      const log = new LogWriter('Tidying up')
      log.says('Tidy up what is not used any more.')
      log.turn({ context: CONTEXT })
      log.writes('Three things can go. The search was free, the rest I ask for.')
      const found = log.calls('search', { query: 'imports of src/legacy' })
      const commands = ['rm -r src/legacy', 'npm uninstall moment', 'git push origin tidy-up']
      const written = commands.map((command) => ({ callId: log.calls('run_command', { command }), command }))
      log.ends()
      log.returns(found, 'search', { output: 'Nothing imports it.', durationMs: 210 })
      const asked = written.map(({ callId, command }) => {
        const requestId = log.asks({
          kind: 'approval',
          callId,
          tool: { name: 'run_command', input: { command }, effect: 'write' },
          description: { title: 'Run this', command },
          options: ['allow-once', 'deny'],
        })
        return { requestId, callId }
      })
      return {
        steps: log.take(),
        respond(command) {
          if (command.type !== 'resolve') return []
          const call = asked.find(({ requestId }) => requestId === command.requestId)
          if (call !== undefined) log.returns(call.callId, 'run_command', { output: '', durationMs: 420 })
          return log.take()
        },
      }
    },
  },
  async play({ canvas, userEvent }) {
    await expect(await canvas.findAllByRole('group', { name: 'Run this?' })).toHaveLength(3)
    const [first] = canvas.getAllByRole('button', { name: 'Allow' })
    if (first) await userEvent.click(first)
    await expect(await canvas.findAllByRole('group', { name: 'Run this?' })).toHaveLength(2)
    await canvas.findByRole('button', { name: /^Run rm -r src\/legacy 420 ms$/ }, PATIENCE)
  },
}

const QUESTIONS = [
  {
    id: 'when',
    header: 'Downtime',
    question: 'How long may the shop be closed?',
    options: [
      { label: 'Not at all', description: 'Both databases are written to for a week' },
      { label: 'A night', description: 'Simpler, and much less code' },
    ],
  },
  {
    id: 'what',
    header: 'Scope',
    question: 'What moves along?',
    multiple: true,
    options: [{ label: 'Orders' }, { label: 'Customers' }, { label: 'Old carts' }],
  },
]

export const Question: ChatStory = {
  args: {
    record() {
      const log = new LogWriter('The migration')
      log.says('Plan the migration to the new database.')
      log.turn({ context: CONTEXT })
      log.writes('Before I plan it there are two things that only you can know.')
      const call = log.calls('ask_user', { questions: QUESTIONS })
      log.ends()
      log.asks({
        kind: 'question',
        callId: call,
        questions: QUESTIONS,
      })
      return {
        steps: log.take(),
        respond(command) {
          if (command.type !== 'resolve') return []
          log.returns(call, 'ask_user', { output: { answers: { ...command.resolution.answers } } })
          log.turn({ context: CONTEXT })
          log.writes(
            `So it is: ${Object.values(command.resolution.answers ?? {})
              .flat()
              .join(', ')}.`,
          )
          log.ends()
          log.finishes()
          return log.take()
        },
      }
    },
  },
  async play({ canvas, userEvent }) {
    await userEvent.click(await canvas.findByRole('radio', { name: /^A night/ }))
    await userEvent.click(canvas.getByRole('checkbox', { name: 'Orders' }))
    await expect(canvas.getByRole('radio', { name: /^A night/ })).toBeChecked()
  },
}

export const QuestionAnswered: ChatStory = {
  ...Question,
  async play({ canvas, userEvent }) {
    await userEvent.click(await canvas.findByRole('radio', { name: /^A night/ }))
    await userEvent.type(canvas.getByRole('textbox', { name: /What moves along/ }), 'the vouchers')
    await userEvent.click(canvas.getByRole('button', { name: 'Answer' }))
    await canvas.findByText('So it is: A night, the vouchers.', undefined, PATIENCE)
    await userEvent.click(canvas.getByRole('button', { name: /^You said: A night, the vouchers/ }))
    await expect(canvas.getByText('What moves along?').nextElementSibling).toHaveTextContent('the vouchers')
  },
}

export const Plan: ChatStory = {
  args: {
    record() {
      const log = new LogWriter('The migration')
      log.says('Plan the migration. Do nothing before I have seen the plan.')
      log.turn({ context: CONTEXT })
      log.writes(
        '1. Copy the customers, a thousand at a time\n2. Write every new order to **both** databases\n3. Compare for a week, then read from the new one',
      )
      const call = log.calls('submit_plan', {})
      log.ends()
      log.asks({
        kind: 'plan',
        callId: call,
        tool: { name: 'submit_plan', input: {} },
        description: { title: 'Go ahead with this plan' },
        options: ['approve', 'revise', 'reject'],
      })
      return { steps: log.take() }
    },
  },
  async play({ canvas, userEvent }) {
    await userEvent.click(await canvas.findByRole('button', { name: 'Revise' }))
    await expect(canvas.getByRole('textbox', { name: 'What to do instead' })).toHaveFocus()
    await userEvent.click(canvas.getByRole('button', { name: 'Back' }))
    await expect(canvas.getByRole('button', { name: 'Approve' })).toBeEnabled()
  },
}
