/** Servers on this machine that speak OpenAI's API, in the order they are taken. */
const SERVERS = [
  { name: 'Ollama', baseURL: 'http://127.0.0.1:11434/v1' },
  { name: 'LM Studio', baseURL: 'http://127.0.0.1:1234/v1' },
] as const

/** A server that does not answer within this is not there. */
const LOCAL_MS = 400

export interface LocalModel {
  readonly server: string
  readonly baseURL: string
  readonly model: string
}

/** The first local server that answers quickly and has a model. `fetch` is injected for tests. */
export async function findLocalModel(fetch: typeof globalThis.fetch): Promise<LocalModel | undefined> {
  const answers = await Promise.all(
    SERVERS.map(async ({ name, baseURL }) => {
      const model = await firstModel(baseURL, fetch, LOCAL_MS).catch(() => undefined)
      return model === undefined ? undefined : { server: name, baseURL, model }
    }),
  )
  return answers.find((found) => found !== undefined)
}

/** The first model an endpoint lists that can talk. Rejects when it does not answer within `ms`. */
export async function firstModel(
  baseURL: string,
  fetch: typeof globalThis.fetch,
  ms: number,
): Promise<string | undefined> {
  const response = await fetch(`${baseURL.replace(/\/+$/, '')}/models`, { signal: AbortSignal.timeout(ms) })
  if (!response.ok) throw new Error(`it answered ${response.status}`)
  const { data } = (await response.json()) as { data?: readonly { id?: unknown }[] | null }
  const ids = (data ?? []).map(({ id }) => id)
  return ids.find((id): id is string => typeof id === 'string' && !/embed|rerank|whisper/i.test(id))
}
