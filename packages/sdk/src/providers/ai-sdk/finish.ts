import type { ModelEvent } from '../provider.ts'
import { WINDOW_EXCEEDED } from '../translated.ts'
import type { Finish } from './stream-part.ts'

type Done = Extract<ModelEvent, { type: 'done' }>

const STOPS: Readonly<Record<string, Done['stop']>> = {
  stop: 'stop',
  'tool-calls': 'tool-calls',
  length: 'length',
  'content-filter': 'content-filter',
}

/** What vendors say that the AI SDK has no word for. */
const RAW_STOPS: Readonly<Record<string, Done['stop']>> = { pause_turn: 'pause', [WINDOW_EXCEEDED]: 'length' }

/**
 * Why a reply ended; `failed` where the model gave up, and undefined where its stream broke off: providers end it all the
 * same then, with a reason that stands for none (`unknown` in version 2, `other` without the vendor's own word in 3,
 * `interrupted` in 4).
 */
export function endOf({ finishReason }: Finish): Pick<Done, 'stop' | 'rawStop'> | 'failed' | undefined {
  const { unified, raw = undefined } = typeof finishReason === 'string' ? { unified: finishReason } : finishReason
  if (unified === 'error') return 'failed'
  if (unified === 'unknown' || unified === 'interrupted' || (unified === 'other' && isBare(finishReason, raw))) {
    return undefined
  }
  const stop = RAW_STOPS[raw ?? ''] ?? STOPS[unified] ?? 'unknown'
  return { stop, ...(raw !== undefined && { rawStop: raw }) }
}

/** Version 2 never has the vendor's word, and says `other` only where there was one. */
function isBare(finishReason: Finish['finishReason'], raw: string | undefined): boolean {
  return typeof finishReason !== 'string' && raw === undefined
}
