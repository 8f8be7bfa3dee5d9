export { type OpenAIOptions, openai } from './openai.ts'
export type { Quirks, QuirksOption } from './quirks.ts'
export type { VendorName } from './vendors.ts'
