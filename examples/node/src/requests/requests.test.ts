import type { Request } from '@stepwell/sdk'
import { expect, test } from 'vitest'
import { panelArea } from '../terminal/panel.ts'
import { plain } from '../terminal/style.ts'
import { keys } from '../testing/keys.ts'
import { dialogFor } from './index.ts'

const approval: Request = {
  id: 'r',
  kind: 'approval',
  path: ['s'],
  tool: { name: 'run_command', input: { command: 'make', timeoutSeconds: 5 }, effect: 'write' },
  description: { title: 'Run a command', command: 'make' },
  options: ['allow-once', 'allow-session', 'allow-always', 'deny'],
  suggestedRule: 'run_command(make)',
}
const colours = { header: 'Colour', question: 'Which colour?', options: [{ label: 'red' }, { label: 'blue' }] }
const questions: Request = {
  id: 'r',
  kind: 'question',
  path: ['s'],
  questions: [
    { id: 'one', ...colours },
    { id: 'two', ...colours, multiple: true },
    { id: 'three', ...colours },
  ],
}
const plan: Request = { id: 'r', kind: 'plan', path: ['s'], tool: { name: 'submit_plan', input: { plan: '1. Think' } } }

function asked(request: Request, typed: string) {
  const dialog = dialogFor(request, plain)
  if (dialog === undefined) throw new Error('There is no dialog.')
  const pressed = keys(typed).map((key) => dialog.press(key))
  return { answer: pressed.at(-1), early: pressed.slice(0, -1).find((each) => each !== undefined), dialog }
}

function rowsOf(request: Request, typed: string) {
  return panelArea(asked(request, typed).dialog.panel(), { columns: 60, rows: 40 }, plain).rows
}

test.each([
  [approval, 'y', { decision: 'allow-once' }],
  [approval, 's', { decision: 'allow-session' }],
  [approval, 'a', { decision: 'allow-always' }],
  [approval, 'n<return>', { decision: 'deny' }],
  [approval, 'ntoo much<return>', { decision: 'deny', note: 'too much' }],
  [approval, 'n<escape>y', { decision: 'allow-once' }],
  [approval, 'e<return>', { decision: 'allow-once' }],
  [approval, 'e -n<return>', { decision: 'allow-once', editedInput: { command: 'make -n', timeoutSeconds: 5 } }],
  [approval, '<escape>', 'stop'],
  [approval, 'x<return>', undefined],
  [questions, '1', undefined],
  [questions, '112<return>2', { answers: { one: ['red'], two: ['red', 'blue'], three: ['blue'] } }],
  [
    questions,
    'green<return>2green<return><escape>',
    { answers: { one: ['green'], two: ['blue', 'green'] }, skipped: true },
  ],
  [questions, 'gr<escape>2<escape>2', { answers: { one: ['blue'], three: ['blue'] }, skipped: true }],
  [questions, '<escape><escape><escape>', { answers: {}, skipped: true }],
  [questions, '111<return>', undefined],
  [plan, 'y', { decision: 'approve' }],
  [plan, 'r<return>shorter<return>', { decision: 'revise', note: 'shorter' }],
  [plan, 'n<return>', { decision: 'reject' }],
  [plan, 'nno<return>', { decision: 'reject', note: 'no' }],
  [plan, '<escape>', 'stop'],
])('$kind: %#', (request, typed, answer) => {
  const { answer: given, early } = asked(request, typed)
  expect(given).toEqual(answer)
  expect(early).toBe(undefined)
})

test('an approval shows the call, the keys it takes and the rule they would add', () => {
  const rows = rowsOf(approval, 'x')
  expect(asked(approval, 'x').dialog.intro).toContain('$ make')
  expect(rows[0]).toBe('s and a allow run_command(make)')
  expect(rows.join(' ')).toContain('y once · s this session · a always · e edit · n no')
})

test('what cannot be remembered is not offered', () => {
  const { suggestedRule: _, ...once } = { ...approval, options: ['allow-once', 'deny'] as const }
  expect(asked(once, 's').answer).toBe(undefined)
  expect(rowsOf(once, 'x')).toEqual(['Allow it?  y once · e edit · n no'])
})

test('a question says which of how many it is, and what was chosen', () => {
  expect(rowsOf(questions, '12')).toEqual([
    '? Colour · question 2 of 3',
    'Which colour?',
    '  1 [ ] red',
    '  2 [x] blue',
    'numbers choose, Enter goes on · or type an answer · Esc',
    'skips',
    '› ',
  ])
})

test('a call whose tool says nothing about it is shown with its input', () => {
  const { description: _, ...silent } = approval
  expect(asked(silent, 'y').dialog.intro).toContain('"timeoutSeconds":5')
})
