import { type Translator, translated } from '../providers/translated.ts'

/** What a provider throws for a stream of these payloads, each a frame of its own; undefined where it throws nothing. */
export async function streamFailure(translator: Translator, payloads: readonly (object | string)[]): Promise<unknown> {
  async function* reads() {
    for (const payload of payloads) yield [{ data: typeof payload === 'string' ? payload : JSON.stringify(payload) }]
  }
  try {
    for await (const _ of translated(reads(), translator, { target: { id: 'p', capabilities: {} } }));
  } catch (thrown) {
    return thrown
  }
  return undefined
}
