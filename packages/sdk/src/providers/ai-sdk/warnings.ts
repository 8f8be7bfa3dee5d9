import type { Warning } from '../wire-tools.ts'
import type { ModelWarning } from './stream-part.ts'

/** What a model says of a request that it did not take as it was. */
export function modelWarning(warning: ModelWarning): Warning {
  switch (warning.type) {
    case 'unsupported-setting':
      return told('provider.setting-ignored', warning.setting, warning.details)
    case 'unsupported':
      return told('provider.setting-ignored', warning.feature, warning.details)
    case 'unsupported-tool':
      return told('provider.tool-omitted', warning.tool.name, warning.details)
    case 'compatibility':
      return told('ai-sdk.compatibility', warning.feature, warning.details)
    case 'deprecated':
      return told('ai-sdk.deprecated', warning.setting, warning.message)
    case 'other':
      return { type: 'warning', code: 'ai-sdk.other', message: warning.message }
  }
}

function told(code: string, what: string, details: string | undefined): Warning {
  const message = code.startsWith('provider.') ? `Not supported: ${what}` : what
  return { type: 'warning', code, message: details ? `${message}. ${details}` : message }
}
