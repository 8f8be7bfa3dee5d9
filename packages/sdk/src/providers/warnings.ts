import type { Warning } from './wire-tools.ts'

export function ignoredSetting(message: string): Warning {
  return { type: 'warning', code: 'provider.setting-ignored', message }
}
