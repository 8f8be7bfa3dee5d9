import { ConfigError, ProviderError, type StepwellError, thrownText } from '../protocol/errors.ts'
import { type ConnectionPlace, connectionError } from './errors.ts'

interface Place extends Omit<ConnectionPlace, 'origin'> {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** The error for a request that could not be made, or whose connection broke. */
export function requestError(thrown: unknown, { url, headers, ...at }: Place): StepwellError {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address?.username || address?.password) {
    // fetch refuses it too, and its message would show them.
    return new ConfigError(
      'config.invalid',
      'The base URL holds a user name or password. Take them out of it and send them as headers, or as the API key',
    )
  }
  if (!address?.protocol.startsWith('http')) {
    return new ConfigError(
      'config.invalid',
      'The base URL is not an http(s) address. Set baseURL to one, for instance https://api.openai.com/v1',
    )
  }
  const unusable = Object.entries(headers).find((header) => !isHeader(header))
  if (unusable === undefined) return connectionError(thrown, { ...at, origin: address.origin })
  // The engine's own message quotes the value, which may be a key.
  return new ConfigError(
    'config.invalid',
    `The header ${JSON.stringify(unusable[0])} holds characters that cannot be sent. Look for line breaks or non-ASCII characters in the API key`,
  )
}

function isHeader(header: [name: string, value: string]): boolean {
  try {
    return new Headers([header]) !== undefined
  } catch {
    return false
  }
}

export function missingKey(provider: string, variable: string): ConfigError {
  return new ConfigError('config.missing-key', `There is no API key for ${provider}. Set ${variable}, or pass apiKey`, {
    details: { provider, variable },
  })
}

/** The error for a function of headers that threw. */
export function headersFailure(provider: string, thrown: unknown): ProviderError {
  const message = `The headers function for ${provider} failed: ${thrownText(thrown)}`
  return new ProviderError('provider.auth', message, { cause: thrown })
}
