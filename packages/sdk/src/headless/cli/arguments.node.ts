import { parseArgs } from 'node:util'
import { ConfigError, thrownText } from '../../protocol/errors.ts'
import type { HeadlessFormat } from '../records.ts'

export type CliArguments =
  | { readonly do: 'help' }
  | { readonly do: 'version' }
  | { readonly do: 'run'; readonly run: RunArguments }

export interface RunArguments {
  /** As they were given; `-` stands for standard input. */
  readonly prompt: readonly string[]
  readonly input: HeadlessFormat
  readonly output: HeadlessFormat
  readonly model?: ModelArguments
  readonly agent?: string
  readonly store?: string
  readonly session?: string
  readonly maxTurns?: number
  readonly dollars?: number
  readonly tokens?: number
}

export interface ModelArguments {
  readonly name: string
  readonly provider: ProviderName
  readonly baseURL?: string
  readonly keyEnv?: string
}

const FORMATS = ['text', 'json', 'ndjson'] as const
const PROVIDERS = ['openai', 'openai-responses', 'anthropic'] as const
type ProviderName = (typeof PROVIDERS)[number]

/** Throws `config.invalid` for what cannot be meant. */
export function readArguments(argv: readonly string[]): CliArguments {
  const { values, positionals } = parsed(argv)
  if (values.help) return { do: 'help' }
  if (values.version) return { do: 'version' }
  const [command, ...prompt] = positionals
  if (command === undefined) return { do: 'help' }
  if (command !== 'run') throw invalid(`There is no command ${JSON.stringify(command)}, only "run".`)
  return { do: 'run', run: runArguments(prompt, values) }
}

function parsed(argv: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
        model: text,
        provider: text,
        'base-url': text,
        'key-env': text,
        agent: text,
        store: text,
        session: text,
        input: text,
        output: text,
        'max-turns': text,
        'budget-usd': text,
        'budget-tokens': text,
      },
    })
  } catch (thrown) {
    throw invalid(thrownText(thrown))
  }
}

type Values = ReturnType<typeof parsed>['values']

function runArguments(prompt: readonly string[], values: Values): RunArguments {
  const blank = Object.entries(values).find(([, value]) => typeof value === 'string' && value.trim() === '')
  if (blank) throw invalid(`--${blank[0]} needs a value.`)
  const { agent, store, session } = values
  const input = oneOf('--input', FORMATS, values.input ?? 'text')
  const output = oneOf('--output', FORMATS, values.output ?? 'text')
  const model = modelArguments(values)
  const maxTurns = positive('--max-turns', values['max-turns'], 'a whole number', Number.isInteger)
  const dollars = positive('--budget-usd', values['budget-usd'], 'an amount in US dollars like 0.50', Number.isFinite)
  const tokens = positive('--budget-tokens', values['budget-tokens'], 'a whole number', Number.isInteger)

  if (model === undefined && agent === undefined) throw invalid('Which model? Give --model NAME or --agent FILE.')
  if (session !== undefined && store === undefined && agent === undefined) {
    throw invalid('--session needs --store FILE, or an agent that has a store: else it is gone with the process.')
  }
  if (input === 'json' && prompt.length > 0) throw invalid('JSON input has the prompt in it: give none beside it.')
  if (input === 'ndjson' && prompt.includes('-')) {
    throw invalid('With --input ndjson standard input is read line by line: it cannot be part of the prompt.')
  }
  return {
    prompt,
    input,
    output,
    ...(model && { model }),
    ...(agent !== undefined && { agent }),
    ...(store !== undefined && { store }),
    ...(session !== undefined && { session }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(dollars !== undefined && { dollars }),
    ...(tokens !== undefined && { tokens }),
  }
}

function modelArguments(values: Values): ModelArguments | undefined {
  const { model: name, 'base-url': baseURL, 'key-env': keyEnv } = values
  if (name === undefined) {
    const lonely = (['provider', 'base-url', 'key-env'] as const).find((flag) => values[flag] !== undefined)
    if (lonely) throw invalid(`--${lonely} is about a model: give --model NAME too.`)
    return undefined
  }
  if (baseURL !== undefined && !(URL.canParse(baseURL) && /^https?:$/.test(new URL(baseURL).protocol))) {
    throw invalid(`--base-url takes an address like http://127.0.0.1:8000/v1, not ${JSON.stringify(baseURL)}.`)
  }
  return {
    name,
    provider: oneOf('--provider', PROVIDERS, values.provider ?? 'openai'),
    ...(baseURL !== undefined && { baseURL }),
    ...(keyEnv !== undefined && { keyEnv }),
  }
}

function oneOf<Name extends string>(flag: string, names: readonly Name[], given: string): Name {
  const found = names.find((name) => name === given)
  if (found === undefined) throw invalid(`${flag} is one of ${names.join(', ')}, not ${JSON.stringify(given)}.`)
  return found
}

function positive(
  flag: string,
  given: string | undefined,
  what: string,
  fits: (value: number) => boolean,
): number | undefined {
  if (given === undefined) return undefined
  const value = Number(given)
  if (!(fits(value) && value > 0)) throw invalid(`${flag} takes ${what}, not ${JSON.stringify(given)}.`)
  return value
}

function invalid(message: string): ConfigError {
  return new ConfigError('config.invalid', message)
}
