export const TOTAL_FIX = `The total is right now. \`total()\` added the prices, but forgot that a line may hold **several of one item**:

\`\`\`ts
export function total(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + line.price * line.count, 0)
}
\`\`\`

All twelve checks pass. Two things that I left as they are:

- prices are numbers of cents, so nothing has to be rounded
- an empty cart still costs \`0\`, which a check relies on`

export const OUTLINE = `Here is how the checkout works, from the button to the receipt.

## 1. The cart is frozen

\`POST /checkout\` takes a snapshot of the cart. From here a change of the cart in another tab makes *another* order, and never changes this one.

## 2. The stock is reserved

Every line takes its count from \`stock\` in one transaction. If one line cannot be had, none is taken:

| line | wanted | in stock | so |
| --- | ---: | ---: | --- |
| Oak shelf | 2 | 14 | reserved |
| Brass hook | 6 | 6 | reserved |
| Linen curtain | 1 | 0 | the order waits |

## 3. The payment is asked for

The provider calls back within a few seconds. Until then the order is \`pending\`, and the reservation`

export const THOUGHTS = `The test says 900 and gets 300. Three items at 300 each would be 900, so the count is not used somewhere. The likely places are the sum itself and the line that is made of an item. The sum is shorter, so I look there first.`

export const LONG_CODE = `A limiter for one process, with a bucket for each key:

\`\`\`ts
import { performance } from 'node:perf_hooks'

interface Bucket {
  tokens: number
  filledAt: number
}

export interface LimiterOptions {
  /** How many calls may come at once. */
  readonly burst: number
  /** How many calls a second come in the long run. */
  readonly perSecond: number
  /** Buckets that nobody asked for in this time are forgotten. */
  readonly forgetAfterMs?: number
}

/** A token bucket for each key: bursts are let through, floods are not, and an idle key costs nothing at all. */
export class Limiter {
  readonly #buckets = new Map<string, Bucket>()
  readonly #options: Required<LimiterOptions>

  constructor(options: LimiterOptions) {
    this.#options = { forgetAfterMs: 60_000, ...options }
  }

  /** Takes one token, or says how long there will be none. */
  take(key: string, now = performance.now()): { ok: true } | { ok: false; retryAfterMs: number } {
    const { burst, perSecond } = this.#options
    const bucket = this.#buckets.get(key) ?? { tokens: burst, filledAt: now }
    const gained = ((now - bucket.filledAt) / 1000) * perSecond
    const tokens = Math.min(burst, bucket.tokens + gained)
    this.#buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, filledAt: now })
    if (tokens >= 1) return { ok: true }
    return { ok: false, retryAfterMs: Math.ceil(((1 - tokens) / perSecond) * 1000) }
  }

  /** Call it now and then, for instance once a minute. */
  sweep(now = performance.now()): number {
    let forgotten = 0
    for (const [key, { filledAt }] of this.#buckets) {
      if (now - filledAt < this.#options.forgetAfterMs) continue
      this.#buckets.delete(key)
      forgotten++
    }
    return forgotten
  }
}
\`\`\`

Behind several processes each has buckets of its own: divide \`perSecond\` by their number, or keep the buckets in Redis.`

export const ARABIC = `السجل هو الحقيقة: كل ما يراه أحد هو **طيّ** لهذا السجل.

- الرسالة تُحفظ قبل أن تُعرض
- إعادة تحميل الصفحة لا تُضيع شيئًا
- الأمر نفسه لا يُنفَّذ مرتين

\`\`\`ts
const state = events.reduce(reduce, initialState('s'))
\`\`\`

هل أشرح لك كيف يعمل ذلك مع \`IndexedDB\`؟`

export const DIFF = `@@ -4,6 +4,6 @@
 export function total(lines: readonly Line[]): number {
   let sum = 0
-  for (const line of lines) sum += line.price
+  for (const line of lines) sum += line.price * line.count
   return sum
 }`
