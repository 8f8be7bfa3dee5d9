import { ConfigError } from '../protocol/errors.ts'
import { MAX_TIMER_MS } from './defaults.ts'
import type { AgentOptions, AgentTools } from './runtime.ts'

/** Throws `config.invalid` for the first option that cannot work, with its name and what it has to be. */
export function checkOptions(options: AgentOptions): void {
  if (typeof options?.model?.stream !== 'function') {
    throw new ConfigError(
      'config.invalid',
      'createAgent needs a model, for instance { model: openai("gpt-5.2") } with openai from "@stepwell/sdk/openai".',
    )
  }
  const { instructions, store, context, timeouts = {}, retries = {}, onInterrupted } = options
  check(isOneOf(instructions, 'string', 'function'), 'instructions', 'a text, or a function that gives one')
  check(isOneOf(context, 'function'), 'context', 'a function that gives the values of your app')
  check(store === undefined || typeof store?.append === 'function', 'store', 'a store, for instance memoryStore()')
  check(
    onInterrupted === undefined || ['finish', 'resume'].includes(onInterrupted),
    'onInterrupted',
    '"finish" or "resume"',
  )
  const { permissions } = options
  check(
    permissions === undefined || typeof permissions?.decide === 'function',
    'permissions',
    'a policy, for instance permissions() from "@stepwell/sdk/permissions"',
  )
  const { fallbacks, budget, compliance, graceTurns, maxRepeats } = options
  check(
    fallbacks === undefined ||
      (Array.isArray(fallbacks) && fallbacks.every((model) => typeof model?.stream === 'function')),
    'fallbacks',
    'a list of models',
  )
  check(
    budget === undefined || typeof budget?.reserve === 'function',
    'budget',
    'a policy, for instance budget() from "@stepwell/sdk/budget"',
  )
  check(
    compliance === undefined || typeof compliance?.output === 'function',
    'compliance',
    'a policy, for instance wordList() from "@stepwell/sdk/compliance"',
  )
  checkGraceTurns(graceTurns)
  check(
    maxRepeats === Number.POSITIVE_INFINITY || isCount(maxRepeats, 2),
    'maxRepeats',
    'a whole number above 1, or Infinity',
  )
  checkMaxTurns(options.maxTurns)
  for (const name of ['connectMs', 'idleMs', 'attemptMs', 'requestMs'] as const)
    checkMs(`timeouts.${name}`, timeouts[name])
  for (const name of ['baseMs', 'maxDelayMs'] as const) checkMs(`retries.${name}`, retries[name])
  check(isCount(retries.max, 0), 'retries.max', 'a whole number, 0 for none')
}

/** Throws `config.invalid` for a number of turns that no run can have. */
export function checkMaxTurns(maxTurns: number | undefined): void {
  check(isCount(maxTurns, 1), 'maxTurns', 'a whole number above 0')
}

/** Throws `config.invalid` for a number of turns that no run can have. */
export function checkGraceTurns(graceTurns: number | undefined): void {
  check(isCount(graceTurns, 0), 'graceTurns', 'a whole number, 0 for none')
}

function checkMs(name: string, value: number | undefined): void {
  const holds = value === undefined || (value >= 0 && value <= MAX_TIMER_MS)
  check(holds, name, `milliseconds, at most ${MAX_TIMER_MS}`)
}

function isCount(value: number | undefined, least: number): boolean {
  return value === undefined || (Number.isInteger(value) && value >= least)
}

function isOneOf(value: unknown, ...types: readonly string[]): boolean {
  return value === undefined || types.includes(typeof value)
}

/** Throws `config.invalid` for what is no list of tools. */
export function checkTools(tools: AgentTools): void {
  const expected = 'a list of what defineTool gives, or a function that gives one'
  check(Array.isArray(tools) && tools.every(isTool), 'tools', expected)
}

function isTool(tool: AgentTools[number] | null | undefined): boolean {
  if (typeof tool?.name !== 'string') return false
  return 'type' in tool ? tool.type === 'provider' : typeof tool.input?.jsonSchema === 'function'
}

function check(holds: boolean, option: string, expected: string): void {
  if (!holds) throw new ConfigError('config.invalid', `${option} has to be ${expected}.`)
}
