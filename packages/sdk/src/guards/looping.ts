/** The repetition has gone on for this many UTF-16 units, about 1,500 tokens. */
const SPAN = 6_000
/** What repeats is at most this long, so there are at least six of it. */
const MAX_PERIOD = 1_000
/** New units between two checks. */
const CHECK_EVERY = 1_024

/**
 * Notices that a reply repeats itself and will not end by itself. Give it all a reply says, in order: text, thoughts and
 * the input of calls.
 *
 * A reply loops when its last 6,000 UTF-16 units are nothing but exact repetitions of at most 1,000. It is noticed within
 * 1,024 units, or at the end of the delta that passes them. What changes from one repetition to the next, be it a number,
 * is never a loop: that is a list. Shorter repetitions are left alone, since people do ask for a hundred equal lines and
 * data holds a thousand zeros. Keeps the last 6,000 units, and what came since the last check.
 */
export class LoopDetector {
  #tail = ''
  #unchecked = 0

  /** Takes the next piece; whether the reply loops, as far as has been checked. */
  push(text: string): boolean {
    this.#tail += text
    this.#unchecked += text.length
    if (this.#unchecked < CHECK_EVERY) return false
    this.#unchecked = 0
    this.#tail = this.#tail.slice(-SPAN)
    return this.#tail.length === SPAN && isPeriodic(this.#tail)
  }
}

/**
 * Whether a text has a period of at most `MAX_PERIOD`. The first place where its beginning comes again is the only one
 * to try: a beginning as long as the longest period cannot come again any sooner than the shortest one (Fine and Wilf).
 */
function isPeriodic(text: string): boolean {
  const period = text.slice(0, 2 * MAX_PERIOD).indexOf(text.slice(0, MAX_PERIOD), 1)
  return period > 0 && text.startsWith(text.slice(period))
}
