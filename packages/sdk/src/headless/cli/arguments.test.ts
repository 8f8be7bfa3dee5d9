import { expect, test } from 'vitest'
import { readArguments } from './arguments.node.ts'
import { HELP } from './help.ts'

test('a model and a prompt are enough', () => {
  expect(readArguments(['run', '--model', 'gpt-5.2', 'Say', 'hi.'])).toEqual({
    do: 'run',
    run: { prompt: ['Say', 'hi.'], input: 'text', output: 'text', model: { name: 'gpt-5.2', provider: 'openai' } },
  })
})

test('everything at once', () => {
  const flags = {
    model: 'claude',
    provider: 'anthropic',
    'base-url': 'http://127.0.0.1:8000/v1',
    'key-env': 'KEY',
    agent: './agent.js',
    store: 'a.db',
    session: 's1',
    input: 'ndjson',
    output: 'json',
    'max-turns': '3',
    'budget-usd': '0.50',
    'budget-tokens': '10000',
  }
  const argv = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value])
  expect(readArguments(['run', ...argv])).toEqual({
    do: 'run',
    run: {
      prompt: [],
      input: 'ndjson',
      output: 'json',
      model: { name: 'claude', provider: 'anthropic', baseURL: 'http://127.0.0.1:8000/v1', keyEnv: 'KEY' },
      agent: './agent.js',
      store: 'a.db',
      session: 's1',
      maxTurns: 3,
      dollars: 0.5,
      tokens: 10_000,
    },
  })
  for (const flag of Object.keys(flags)) expect(HELP).toContain(`--${flag} `)
})

test('help and version come before everything else', () => {
  expect(readArguments([])).toEqual({ do: 'help' })
  expect(readArguments(['run', '--help', '--max-turns', 'x'])).toEqual({ do: 'help' })
  expect(readArguments(['--version'])).toEqual({ do: 'version' })
})

test.each([
  [['walk'], '"walk"'],
  [['run', '--modle', 'x'], '--modle'],
  [['run', '--model', 'x', '--input', 'xml'], 'text, json, ndjson'],
  [['run', '--model', 'x', '--provider', 'mine'], 'anthropic'],
  [['run', '--model', 'x', '--base-url', 'localhost:8000'], 'http://127.0.0.1:8000/v1'],
  [['run', '--model', ' '], '--model needs a value'],
  [['run', '--agent', 'a.js', '--key-env', 'K'], '--key-env is about a model'],
  [['run', '--model', 'x', '--session', 's'], '--store'],
  [['run', '--model', 'x', '--max-turns', '0'], '--max-turns'],
  [['run', '--model', 'x', '--max-turns', '1.5'], '--max-turns'],
  [['run', '--model', 'x', '--budget-usd', '5 euros'], '5 euros'],
  [['run', '--model', 'x', '--budget-tokens', '-1'], '--budget-tokens'],
  [['run', '--model', 'x', '--input', 'json', 'Hi.'], 'JSON input has the prompt'],
  [['run', '--model', 'x', '--input', 'ndjson', 'Hi.', '-'], 'line by line'],
])('%j is refused and named', (argv, named) => {
  expect(() => readArguments(argv)).toThrow(expect.objectContaining({ code: 'config.invalid' }))
  expect(() => readArguments(argv)).toThrow(named)
})
