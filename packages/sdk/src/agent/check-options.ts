import { ConfigError } from '../protocol/errors.ts'
import { MAX_TIMER_MS } from './defaults.ts'
import type { AgentOptions, AgentTools } from './runtime.ts'

/** Throws `config.invalid` for the first option that cannot work, with its name and what it has to be. */
export function checkOptions(options: AgentOptions): void {
  if (!isModel(options?.model)) {
    throw new ConfigError(
      'config.invalid',
      'createAgent needs a model, for instance { model: openai("gpt-5.2") } with openai from "@stepwell/sdk/openai".',
    )
  }
  const { instructions, store, context, timeouts = {}, retries = {}, onInterrupted } = options
  const isText = (value: unknown): boolean => typeof value === 'string' || isFunction(value)
  check('instructions', instructions, isText, 'a text, or a function that gives one')
  check('context', context, isFunction, 'a function that gives the values of your app')
  check('store', store, has('append'), 'a store, for instance memoryStore()')
  check('onInterrupted', onInterrupted, (given) => ['finish', 'resume'].includes(given), '"finish" or "resume"')
  for (const [option, method, maker] of POLICIES) {
    check(option, options[option], has(method), `a policy, for instance ${maker}() from "@stepwell/sdk/${option}"`)
  }
  const { fallbacks, maxRepeats } = options
  check('fallbacks', fallbacks, (given) => Array.isArray(given) && given.every(isModel), 'a list of models')
  const isRepeats = (given: number): boolean => given === Infinity || isCount(2)(given)
  check('maxRepeats', maxRepeats, isRepeats, 'a whole number above 1, or Infinity')
  checkTurns(options)
  const ms = `milliseconds, at most ${MAX_TIMER_MS}`
  for (const name of ['connectMs', 'idleMs', 'attemptMs', 'requestMs'] as const)
    check(`timeouts.${name}`, timeouts[name], isMs, ms)
  for (const name of ['baseMs', 'maxDelayMs'] as const) check(`retries.${name}`, retries[name], isMs, ms)
  check('retries.max', retries.max, isCount(0), OR_NONE)
}

/** Throws `config.invalid` for numbers of turns that no run can have. */
export function checkTurns({ maxTurns, graceTurns }: Pick<AgentOptions, 'maxTurns' | 'graceTurns'>): void {
  check('maxTurns', maxTurns, isCount(1), 'a whole number above 0')
  check('graceTurns', graceTurns, isCount(0), OR_NONE)
}

/** Throws `config.invalid` for what is no list of tools. */
export function checkTools(tools: AgentTools): void {
  if (Array.isArray(tools) && tools.every(isTool)) return
  throw wrong('tools', 'a list of what defineTool gives, or a function that gives one')
}

/** What is known of a policy by one method, and who makes one. */
const POLICIES = [
  ['permissions', 'decide', 'permissions'],
  ['budget', 'reserve', 'budget'],
  ['compliance', 'output', 'wordList'],
] as const

const OR_NONE = 'a whole number, 0 for none'

/** Throws `config.invalid`; what was left out has its default. */
export function check<T>(option: string, value: T | undefined, isRight: (value: T) => boolean, expected: string): void {
  if (value !== undefined && !isRight(value)) throw wrong(option, expected)
}

function wrong(option: string, expected: string): ConfigError {
  return new ConfigError('config.invalid', `${option} has to be ${expected}.`)
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function has(method: string): (value: unknown) => boolean {
  return (value) => isFunction((value as Readonly<Record<string, unknown>> | null | undefined)?.[method])
}

const isModel = has('stream')

function isTool(tool: AgentTools[number] | null | undefined): boolean {
  if (typeof tool?.name !== 'string') return false
  return 'type' in tool ? tool.type === 'provider' : isFunction(tool.input?.jsonSchema)
}

function isMs(value: number): boolean {
  return value >= 0 && value <= MAX_TIMER_MS
}

export function isCount(least: number): (value: unknown) => boolean {
  return (value) => Number.isInteger(value) && (value as number) >= least
}
