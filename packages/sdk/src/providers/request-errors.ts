import { ConfigError, ProviderError, thrownText } from '../protocol/errors.ts'

/** The error for a base URL that cannot be asked. */
export function addressError(address: string): ConfigError {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.username || url?.password) {
    // fetch refuses it too, and its message would show them.
    return new ConfigError(
      'config.invalid',
      'The base URL holds a user name or password. Take them out of it and send them as headers, or as the API key',
    )
  }
  return new ConfigError(
    'config.invalid',
    'The base URL is not an http(s) address. Set baseURL to one, for instance https://api.openai.com/v1',
  )
}

/** The error for a header that cannot be sent. The engine's own message quotes the value, which may be a key. */
export function headerError(name: string): ConfigError {
  return new ConfigError(
    'config.invalid',
    `The header ${JSON.stringify(name)} holds characters that cannot be sent. Look for line breaks or non-ASCII characters in the API key`,
  )
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
