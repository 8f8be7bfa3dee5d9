import { expect, test } from 'vitest'
import { DEFAULT_DB, parseArguments } from './args.ts'

test('nothing asks for a new session with whatever model is there', () => {
  expect(parseArguments([])).toEqual({ do: 'chat', db: DEFAULT_DB, model: {} })
})

test('everything at once', () => {
  const argv = [
    '--session',
    's1',
    '--budget',
    '0.50',
    '--db',
    'a.db',
    '--model=openai:x',
    '--base-url',
    'https://host/v1',
  ]
  expect(parseArguments(argv)).toEqual({
    do: 'chat',
    db: 'a.db',
    session: 's1',
    budget: 0.5,
    model: { name: 'openai:x', baseURL: 'https://host/v1' },
  })
})

test('--list and --help', () => {
  expect(parseArguments(['--list', '--db', 'a.db'])).toEqual({ do: 'list', db: 'a.db' })
  expect(parseArguments(['--list', '-h'])).toEqual({ do: 'help' })
})

test.each([
  [['--sesion', 'x'], '--sesion'],
  [['hello'], 'hello'],
  [['--session'], '--session'],
  [['--model', ' '], '--model'],
  [['--db='], '--db'],
  [['--budget', '5 euros'], '5 euros'],
  [['--budget', '0'], '0.50'],
  [['--base-url', 'localhost:8000'], 'http://127.0.0.1:8000/v1'],
  [['--base-url', 'file:///etc'], 'file:///etc'],
])('%j is refused and named', (argv, named) => {
  expect(parseArguments(argv)).toEqual({ do: 'refuse', why: expect.stringContaining(named) })
})
