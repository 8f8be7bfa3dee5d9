import { ProviderError } from '../protocol/errors.ts'
import { bodyError, httpError } from './errors.ts'
import { redaction } from './redaction.ts'

/** What is kept of a body that is no event stream, in characters. */
const MAX_BODY = 64 * 1024

/** An answer that is no event stream. */
export interface FailedResponse {
  readonly provider: string
  readonly response: Response
  readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  /** What was read of the body already, and with what. */
  readonly start?: string
  readonly decoder?: TextDecoder
  /** The request's, of which none may come back in the error. */
  readonly headers: Readonly<Record<string, string>>
}

/** Reads the rest of the body, or enough of it. Rejects as the reader does. */
export async function responseError(failed: FailedResponse): Promise<ProviderError> {
  const { provider, response } = failed
  const { status, headers } = response
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) return redirectError(provider, response)
  const failure = { provider, status, headers, body: redaction(failed.headers)(await textOf(failed)) }
  return response.ok ? bodyError(failure) : httpError(failure)
}

function redirectError(provider: string, { headers, url, status }: Response): ProviderError {
  const location = headers.get('location')
  const base = url || undefined
  const target = location !== null && URL.canParse(location, base) ? new URL(location, base) : undefined
  const where = target ? ` to ${target.origin}${target.pathname}` : ''
  return new ProviderError(
    'provider.protocol',
    `${provider} redirects${where}, which is not followed so that no key goes astray. Set baseURL to the final address`,
    { ...(status > 0 && { status }) },
  )
}

async function textOf({ reader, start = '', decoder = new TextDecoder() }: FailedResponse): Promise<string> {
  let text = start
  while (reader && text.length < MAX_BODY) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  return text.slice(0, MAX_BODY)
}
