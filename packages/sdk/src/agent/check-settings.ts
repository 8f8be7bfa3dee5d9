import { ConfigError } from '../protocol/errors.ts'
import { isObject } from '../protocol/json.ts'
import type { RunOptions } from '../protocol/session.ts'
import type { ModelSettings } from '../providers/provider.ts'
import { check, isCount } from './check-options.ts'

type Form = readonly [isRight: (value: unknown) => boolean, expected: string]

const OBJECT: Form = [isObject, 'an object']
const LEVELS: readonly unknown[] = ['none', 'minimal', 'low', 'medium', 'high']
const isNumber = (value: unknown): boolean => Number.isFinite(value)
const isTokens = isCount(1)

const SETTINGS: Readonly<Record<keyof ModelSettings, Form>> = {
  temperature: [isNumber, 'a number'],
  maxOutputTokens: [isTokens, 'a whole number above 0'],
  reasoning: [
    (value) => LEVELS.includes(value) || (isObject(value) && isTokens(value.budgetTokens)),
    `one of ${LEVELS.join(', ')}, or { budgetTokens } with a whole number above 0`,
  ],
  stop: [(value) => Array.isArray(value) && value.every((text) => typeof text === 'string'), 'a list of texts'],
  seed: [(value) => Number.isInteger(value), 'a whole number'],
  extra: OBJECT,
}

/** Throws `config.invalid` for what no model or log can take: a run's options may be JSON that somebody wrote. */
export function checkSettings({ settings, metadata }: RunOptions): void {
  check('metadata', metadata, ...OBJECT)
  check('settings', settings, ...OBJECT)
  for (const [name, value] of Object.entries(settings ?? {})) {
    const form = Object.hasOwn(SETTINGS, name) ? SETTINGS[name as keyof ModelSettings] : undefined
    if (form === undefined) {
      const known = Object.keys(SETTINGS).join(', ')
      const hint = `only ${known}. What else an API takes goes into settings.extra.`
      throw new ConfigError('config.invalid', `settings has no "${name}", ${hint}`)
    }
    check(`settings.${name}`, value, ...form)
  }
}
