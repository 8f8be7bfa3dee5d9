/** How endpoints say that the input does not fit the model's context window. One example each in overflow.test.ts. */
const TEXTS: readonly RegExp[] = [
  /prompt (is )?too long/i,
  /input is too long/i,
  /prompt exceeds (the )?max/i,
  /context[ _-]length[ _-]exceeded/i,
  /context[ _]window[ _]exceeded/i,
  /(exceed\w*|greater than|larger than) (the |this |its )?(model'?s? )?(available |maximum )?context[ _-](window|length|size)/i,
  /context window exceeds/i,
  /maximum context length/i,
  /maximum prompt length/i,
  /token count (\([\d,]+\) |of [\d,]+ )?exceeds the (maximum|limit)/i,
  /exceeded model token limit/i,
  /reduce the length of the (messages|prompt|input)/i,
  /range of input length should be/i,
]

const RATE = /per (minute|min|hour|day)\b|\b[TR]P[MD]\b|rate.?limit/i

export function saysOverflow(text: string): boolean {
  return !RATE.test(text) && TEXTS.some((pattern) => pattern.test(text))
}
