export { type OpenAIOptions, openai } from './openai.ts'
export type { Quirks, QuirksOption, VendorName } from './quirks.ts'
