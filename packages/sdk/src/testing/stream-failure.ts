import type { SseFrame } from '../providers/frames.ts'
import { type Translator, translated } from '../providers/translated.ts'

/** What a provider throws for a stream of these payloads, each a frame of its own; undefined where it throws nothing. */
export async function streamFailure(translator: Translator, payloads: readonly (object | string)[]): Promise<unknown> {
  async function* read(onFrame: (frame: SseFrame) => void) {
    for (const payload of payloads) {
      onFrame({ data: typeof payload === 'string' ? payload : JSON.stringify(payload) })
      yield
    }
  }
  try {
    for await (const _ of translated({ id: 'p', capabilities: {} }, async () => ({ translator, read })));
  } catch (thrown) {
    return thrown
  }
  return undefined
}
